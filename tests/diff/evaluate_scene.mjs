// SPDX-License-Identifier: MIT
// What the evaluators of other people's libraries share: the scene without pictures, and what tests/tools/evaluate asked for.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** import() of a file below a node_modules folder that is nowhere near this one. */
export function importer(modules) {
  return (file) => import(pathToFileURL(join(resolve(modules), file)).href);
}

function readChunks(bytes) {
  if (bytes.toString('latin1', 0, 4) !== 'glTF') return { json: JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, '')) };
  let json, binary;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at), kind = bytes.readUInt32LE(at + 4);
    const chunk = bytes.subarray(at + 8, at + 8 + size);
    if (kind === 0x4e4f534a) json ??= JSON.parse(chunk.toString('utf8'));
    if (kind === 0x004e4942) binary ??= chunk;
    at += 8 + size;
  }
  return { json, binary };
}

// Shapes only: no evaluator here has a GPU or an image decoder, and positions do not depend on materials.
const KEPT = new Set(['KHR_mesh_quantization', 'EXT_meshopt_compression', 'KHR_meshopt_compression', 'EXT_mesh_gpu_instancing']);

/** JSON of a .gltf without materials, every buffer embedded; without scenes in the file every root is shown. */
export function readScene(path) {
  const { json, binary } = readChunks(readFileSync(path));
  for (const key of ['materials', 'textures', 'images', 'samplers', 'cameras']) delete json[key];
  for (const key of ['extensionsUsed', 'extensionsRequired']) {
    if (json[key]) json[key] = json[key].filter((name) => KEPT.has(name));
  }
  for (const mesh of json.meshes ?? []) {
    for (const primitive of mesh.primitives) {
      delete primitive.material;
      delete primitive.extensions;
    }
  }
  for (const node of json.nodes ?? []) {
    delete node.camera;
    for (const name of Object.keys(node.extensions ?? {})) if (!KEPT.has(name)) delete node.extensions[name];
  }
  (json.buffers ?? []).forEach((buffer, index) => {
    let bytes;
    if (buffer.uri === undefined) bytes = index === 0 ? binary : undefined; // else a fallback that nothing reads
    else if (!buffer.uri.startsWith('data:')) bytes = readFileSync(join(dirname(path), decodeURIComponent(buffer.uri)));
    if (bytes) buffer.uri = 'data:application/octet-stream;base64,' + bytes.toString('base64');
  });
  if (!json.scenes) {
    const children = new Set((json.nodes ?? []).flatMap((node) => node.children ?? []));
    json.scenes = [{ nodes: (json.nodes ?? []).map((_, index) => index).filter((index) => !children.has(index)) }];
    json.scene = 0;
  }
  return json;
}

/** What was asked for: parts with the source vertices of each, clips with times. */
export function readRequest(stem) {
  const request = JSON.parse(readFileSync(stem + '.json', 'utf8'));
  const bytes = readFileSync(stem + '.src');
  const sources = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  for (const part of request.parts) part.sources = sources.subarray(part.first, part.first + part.count);
  return request;
}

/** Index in the file of a clip of the request: by place where no clip was left out, else by name. */
export function clipIndex(request, json, index) {
  const animations = json.animations ?? [];
  if (animations.length === request.clips.length) return index;
  const found = animations.findIndex((animation) => animation.name === request.clips[index].name);
  if (found < 0) throw new Error(`no animation is named "${request.clips[index].name}"`);
  return found;
}

/** frames: Float64Array(vertex_count * 3) each, in the request's order. */
export function writeResult(stem, frames) {
  writeFileSync(stem + '.other', Buffer.concat(frames.map((frame) => Buffer.from(frame.buffer))));
}
