// SPDX-License-Identifier: MIT
// The positions that tests/tools/evaluate wrote, as Babylon.js sees them: it takes eight influences a vertex, three.js four.
// usage: evaluate_babylon.mjs NODE_MODULES SCENE STEM      reads STEM.json and STEM.src, writes STEM.other (float64)
import { clipIndex, importer, readRequest, readScene, writeResult } from './evaluate_scene.mjs';

const [modules, path, stem] = process.argv.slice(2);
const load = importer(modules);
const BABYLON = await load('@babylonjs/core/index.js');
await load('@babylonjs/loaders/glTF/2.0/index.js');
BABYLON.Logger.LogLevels = BABYLON.Logger.ErrorLogLevel;

const json = readScene(path);
const request = readRequest(stem);
const scene = new BABYLON.Scene(new BABYLON.NullEngine());
scene.useRightHandedSystem = true;
const loaded = await BABYLON.ImportMeshAsync('data:' + JSON.stringify(json), scene, { pluginExtension: '.gltf' });
for (const group of loaded.animationGroups) group.stop();

// Babylon keeps which primitive a mesh was, not which node shows it.
const meshes = new Map();
for (const mesh of loaded.meshes) {
  for (const pointer of mesh._internalMetadata?.gltf?.pointers ?? []) {
    if (!pointer.includes('/primitives/')) continue;
    if (meshes.has(pointer)) throw new Error(`several nodes show ${pointer}`);
    meshes.set(pointer, mesh);
  }
}

function evaluate() {
  for (const node of nodes) node.computeWorldMatrix(true);
  for (const skeleton of scene.skeletons) skeleton.prepare(true);
  const frame = new Float64Array(3 * request.vertex_count);
  const vertex = new BABYLON.Vector3();
  for (const part of request.parts) {
    const mesh = meshes.get(`/meshes/${json.nodes[part.node].mesh}/primitives/${part.primitive}`);
    if (!mesh || part.instance !== null) throw new Error(`Babylon has nothing for node ${part.node}, primitive ${part.primitive}`);
    const positions = mesh.getPositionData(true, true);
    const world = mesh.getWorldMatrix();
    part.sources.forEach((source, i) => {
      BABYLON.Vector3.TransformCoordinatesFromFloatsToRef(...positions.subarray(3 * source, 3 * source + 3), world, vertex);
      vertex.toArray(frame, 3 * (part.first + i));
    });
  }
  return frame;
}

// A stopped group leaves its last pose behind; what the next clip does not move has to be at rest.
const nodes = [...scene.transformNodes, ...scene.meshes];
const rest = nodes.map((node) => [node.position.clone(), node.rotationQuaternion?.clone(), node.scaling.clone()]);
const targets = scene.meshes.flatMap((mesh) => {
  const manager = mesh.morphTargetManager;
  return manager ? Array.from({ length: manager.numTargets }, (_, i) => manager.getTarget(i)) : [];
});
const influences = targets.map((target) => target.influence);

function relax() {
  nodes.forEach((node, i) => {
    node.position.copyFrom(rest[i][0]);
    if (rest[i][1]) node.rotationQuaternion.copyFrom(rest[i][1]);
    node.scaling.copyFrom(rest[i][2]);
  });
  targets.forEach((target, i) => (target.influence = influences[i]));
}

const frames = [];
request.clips.forEach((clip, index) => {
  relax();
  if (clip.name === null) {
    frames.push(evaluate());
    return;
  }
  const group = loaded.animationGroups[clipIndex(request, json, index)];
  group.start(false);
  for (const time of clip.times) {
    group.goToFrame(time * group.targetedAnimations[0].animation.framePerSecond);
    frames.push(evaluate());
  }
  group.stop();
});
writeResult(stem, frames);
process.exit(0); // the engine's timers would keep Node alive
