// A wallet and the issuers of what it holds, made of libraries that share no code with ours. `node wallet.mjs setup|present`
// reads one JSON value from standard input and writes one to standard output.
import { readFileSync } from 'node:fs';
import { present } from './present.mjs';
import { setup } from './setup.mjs';

const input = JSON.parse(readFileSync(0, 'utf8'));
const commands = { setup, present };
console.log(JSON.stringify(await commands[process.argv[2]](input)));
