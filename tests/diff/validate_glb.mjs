// SPDX-License-Identifier: MIT
// Khronos' glTF validator over a list of files.
// usage: validate_glb.mjs NODE_MODULES < paths, one a line      prints a JSON object: path to {errors, warnings}, each {code: count}
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const require = createRequire(join(resolve(process.argv[2]), 'x.js'));
const validator = require('gltf-validator');

const found = {};
for (const path of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
    uri: path,
    maxIssues: 0,
    externalResourceFunction: async (uri) => new Uint8Array(readFileSync(join(dirname(path), decodeURIComponent(uri)))),
  });
  const kinds = [{}, {}];
  for (const message of report.issues.messages) {
    const kind = kinds[message.severity];
    if (kind) kind[message.code] = (kind[message.code] ?? 0) + 1;
  }
  found[path] = { errors: kinds[0], warnings: kinds[1] };
}
console.log(JSON.stringify(found));
