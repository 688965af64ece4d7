/** Stands for every module of n8n in the tests of the client: the client must not load one. */
throw new Error('The client loads a module of n8n');
