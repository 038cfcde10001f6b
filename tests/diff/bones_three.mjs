// SPDX-License-Identifier: MIT
// A bake of bones with its skin in the mesh, played by three.js: its loader reads the mesh, its SkinnedMesh moves the vertices; only the bones'
// matrices come from the texture, by docs/FORMATS.md §11.
// usage: bones_three.mjs NODE_MODULES MANIFEST STEM FRAME...      writes STEM.bones (float64): positions of the frames of all frames
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importer, readScene } from './evaluate_scene.mjs';

const [modules, path, stem, ...frames] = process.argv.slice(2);
globalThis.ProgressEvent ??= class extends Event {};
globalThis.self ??= globalThis;
const load = importer(modules);
const THREE = await load('three/build/three.module.js');
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');

const manifest = JSON.parse(readFileSync(path, 'utf8'));
const { bones } = manifest;
const pages = manifest.textures.filter((texture) => texture.role === 'bones').map((texture) => {
  const bytes = readFileSync(join(dirname(path), texture.file));
  const Texels = texture.format === 'raw-f32' ? Float32Array : Uint16Array;
  return { ...texture, texels: new Texels(bytes.buffer, bytes.byteOffset, bytes.length / Texels.BYTES_PER_ELEMENT) };
});

/** The four channels of a bone's texel in the block that begins at `row`. */
function texel(page, row, bone, k) {
  const x = bones.texels * (bone % bones.per_row) + k, y = row + Math.floor(bone / bones.per_row);
  const at = 4 * (y * page.width + x);
  return [...page.texels.subarray(at, at + 4)];
}

const between = ({ min, max }, code) => new THREE.Vector3(...min.map((low, k) => low + ((max[k] - low) * code[k]) / 65535));

function boneMatrix(page, local, bone, clip) {
  const rows = manifest.frames.rows_per_frame, row = (local + 1) * rows;
  const matrix = new THREE.Matrix4();
  let pivot;
  if (bones.texels === 3) {
    const lines = [0, 1, 2].map((k) => texel(page, row, bone, k));
    matrix.set(...lines.flat(), 0, 0, 0, 1);
    pivot = new THREE.Vector3(...[0, 1, 2].map((k) => texel(page, 0, bone, k)[3]));
  } else {
    const first = texel(page, row, bone, 0), second = texel(page, row, bone, 1);
    const scale = (clip.pivots.max_scale * first[3]) / 65535;
    const turn = new THREE.Quaternion(...second.map((code) => (code - 32768) / 32767)).normalize();
    matrix.compose(between(clip.pivots, first), turn, new THREE.Vector3(scale, scale, scale));
    pivot = between(bones.pivots, texel(page, 0, bone, 0));
  }
  return matrix.multiply(new THREE.Matrix4().makeTranslation(-pivot.x, -pivot.y, -pivot.z));
}

const gltf = await new GLTFLoader().parseAsync(JSON.stringify(readScene(join(dirname(path), manifest.mesh.file))), '');
const meshes = [];
gltf.scene.traverse((object) => {
  if (!object.isMesh) return;
  meshes.push(new THREE.SkinnedMesh(object.geometry));
});
const joints = Array.from({ length: bones.count }, () => new THREE.Bone());
const skeleton = new THREE.Skeleton(joints, joints.map(() => new THREE.Matrix4()));
for (const mesh of meshes) mesh.bind(skeleton, new THREE.Matrix4());

const out = [], vertex = new THREE.Vector3();
for (const frame of frames.map(Number)) {
  const clip = manifest.clips.find((row) => frame >= row.first_frame && frame < row.first_frame + row.frame_count);
  const step = manifest.frames.per_page - 1;
  const page = manifest.frames.count <= manifest.frames.per_page ? 0 : Math.min(Math.floor(frame / step), pages.length - 1);
  joints.forEach((joint, bone) => joint.matrixWorld.copy(boneMatrix(pages[page], frame - page * step, bone, clip)));
  for (const mesh of meshes) {
    for (let index = 0; index < mesh.geometry.attributes.position.count; index++) {
      vertex.fromBufferAttribute(mesh.geometry.attributes.position, index);
      mesh.applyBoneTransform(index, vertex);
      out.push(...vertex.toArray());
    }
  }
}
writeFileSync(`${stem}.bones`, new Float64Array(out));
