/** Formats a duration for a message: "1 second", "30 seconds". */
export const formatSeconds = (seconds: number): string => (seconds === 1 ? '1 second' : `${seconds} seconds`);
