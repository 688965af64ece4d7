/** The values of a record of the benchmark. */
export const createRow = (index: number) => ({
  key: `k${index}`,
  name: `Customer number ${index}`,
  city: `City ${index % 97}`,
  note: 'A sentence of an ordinary length, as people write them into such fields.',
  amount: index * 1.5,
});
