declare const processCache: Map<string, unknown>;
export = processCache;
