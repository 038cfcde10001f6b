// SPDX-License-Identifier: MIT
// The positions that tests/tools/evaluate wrote, as three.js sees them.
// usage: evaluate_three.mjs NODE_MODULES SCENE STEM      reads STEM.json and STEM.src, writes STEM.other (float64)
import { clipIndex, importer, readRequest, readScene, writeResult } from './evaluate_scene.mjs';

const [modules, path, stem] = process.argv.slice(2);
globalThis.ProgressEvent ??= class extends Event {}; // FileLoader tells about progress, which Node has no class for
globalThis.self ??= globalThis;
const load = importer(modules);
const THREE = await load('three/build/three.module.js');
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');
const { MeshoptDecoder } = await load('three/examples/jsm/libs/meshopt_decoder.module.js');

// Three drops all but four influences and normalises those: sets beyond the first are blended below, with weights as they are in the file.
const normalize = THREE.SkinnedMesh.prototype.normalizeSkinWeights;
THREE.SkinnedMesh.prototype.normalizeSkinWeights = function () {
  if (!this.geometry.attributes.weights_1) normalize.call(this);
};

const json = readScene(path);
const request = readRequest(stem);
const loader = new GLTFLoader();
loader.setMeshoptDecoder(MeshoptDecoder);
const gltf = await loader.parseAsync(JSON.stringify(json), '');

// Rotation keys are often not of unit length (0.707, quantised ones); three builds matrices of them as they are, which scales the mesh.
for (const clip of gltf.animations) {
  for (const track of clip.tracks) {
    const cubic = track.createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline; // mixed as they are, normalised after
    if (!(track instanceof THREE.QuaternionKeyframeTrack) || cubic) continue;
    const key = new THREE.Quaternion();
    for (let at = 0; at < track.values.length; at += 4) key.fromArray(track.values, at).normalize().toArray(track.values, at);
  }
}
gltf.scene.traverse((object) => object.quaternion.normalize());

// "node primitive" to what three made of it.
const objects = new Map();
gltf.scene.traverse((object) => {
  if (!object.isMesh && !object.isPoints && !object.isLine) return;
  const own = gltf.parser.associations.get(object);
  let owner = object;
  while (owner && gltf.parser.associations.get(owner)?.nodes === undefined) owner = owner.parent;
  objects.set(`${gltf.parser.associations.get(owner).nodes} ${own.primitives ?? 0}`, object);
});

const vertex = new THREE.Vector3(), term = new THREE.Vector3(), matrix = new THREE.Matrix4();
const instanceMatrix = new THREE.Matrix4();

function morphed(object, index) {
  vertex.fromBufferAttribute(object.geometry.attributes.position, index);
  const targets = object.geometry.morphAttributes.position;
  object.morphTargetInfluences?.forEach((weight, target) => {
    if (weight !== 0 && targets) vertex.addScaledVector(term.fromBufferAttribute(targets[target], index), weight);
  });
}

/** Blends any number of sets of four influences by three's bones. */
function blend(object, index) {
  const attributes = object.geometry.attributes;
  const bound = vertex.clone().applyMatrix4(object.bindMatrix);
  let sum = 0;
  vertex.set(0, 0, 0);
  for (let set = 0; set === 0 || attributes[`weights_${set}`]; set++) {
    const joints = attributes[set === 0 ? 'skinIndex' : `joints_${set}`];
    const weights = attributes[set === 0 ? 'skinWeight' : `weights_${set}`];
    for (let k = 0; k < 4; k++) {
      const bone = joints.getComponent(index, k), weight = weights.getComponent(index, k);
      matrix.multiplyMatrices(object.skeleton.bones[bone].matrixWorld, object.skeleton.boneInverses[bone]);
      vertex.addScaledVector(term.copy(bound).applyMatrix4(matrix), weight);
      sum += weight;
    }
  }
  vertex.divideScalar(sum);
}

/** World position into `vertex`; of skins through three's own boneTransform where it is able: four influences, a matrix that can be undone. */
function locate(object, instance, index) {
  morphed(object, index);
  if (object.isSkinnedMesh && (object.geometry.attributes.weights_1 || Math.abs(object.matrixWorld.determinant()) <= 1e-9)) {
    blend(object, index);
  } else if (object.isSkinnedMesh) {
    object.applyBoneTransform(index, vertex).applyMatrix4(object.matrixWorld);
  } else {
    matrix.copy(object.matrixWorld);
    if (instance !== null) {
      object.getMatrixAt(instance, instanceMatrix);
      matrix.multiply(instanceMatrix);
    }
    vertex.applyMatrix4(matrix);
  }
}

function evaluate() {
  gltf.scene.updateMatrixWorld(true);
  const frame = new Float64Array(3 * request.vertex_count);
  for (const part of request.parts) {
    const object = objects.get(`${part.node} ${part.primitive}`);
    if (!object) throw new Error(`three has nothing for node ${part.node}, primitive ${part.primitive}`);
    part.sources.forEach((source, i) => {
      locate(object, part.instance, source);
      vertex.toArray(frame, 3 * (part.first + i));
    });
  }
  return frame;
}

const mixer = new THREE.AnimationMixer(gltf.scene);
const frames = [];
request.clips.forEach((clip, index) => {
  mixer.stopAllAction();
  if (clip.name === null) {
    frames.push(evaluate());
    return;
  }
  const action = mixer.clipAction(gltf.animations[clipIndex(request, json, index)]);
  action.setLoop(THREE.LoopOnce, 1);
  action.clampWhenFinished = true;
  for (const time of clip.times) {
    action.reset().play();
    action.time = time;
    mixer.update(0);
    frames.push(evaluate());
  }
});
writeResult(stem, frames);
