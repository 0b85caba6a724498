import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IService } from 'kubernetes-models/v1/Service';
import ts from 'typescript';
import { temporaryFolder } from '../clean-up.js';
import { parseStrictly, read, ROOT } from './deployment.js';

const FOLDER = 'deploy/kubernetes/';

/** A type without optional fields and empty lists. A test that reads a missing field fails. */
type Complete<Type> = Type extends (infer Item)[]
  ? [Complete<Item>, ...Complete<Item>[]]
  : Type extends object
    ? { [Key in keyof Type]-?: Complete<NonNullable<Type[Key]>> }
    : Type;

export interface Manifests {
  'deployment.yaml': Complete<IDeployment>;
  'horizontal-pod-autoscaler.yaml': Complete<IHorizontalPodAutoscaler>;
  'ingress.yaml': Complete<IIngress>;
  'network-policy.yaml': Complete<INetworkPolicy>;
  'pod-disruption-budget.yaml': Complete<IPodDisruptionBudget>;
  'secret.example.yaml': Complete<ISecret>;
  'service.yaml': Complete<IService>;
}

interface Kustomization {
  resources: string[];
  configMapGenerator: unknown;
  patches: { patch: string }[];
}

/** The manifests by file name, and what is applied of them. The pooler has only some. */
export function readManifests(folder: '' | 'pooler/'): [Manifests, Kustomization] {
  const files = readdirSync(ROOT + FOLDER + folder).filter((name) => name.endsWith('.yaml'));
  const { 'kustomization.yaml': kustomization, ...manifests } = Object.fromEntries(
    files.map((name) => [name, parseStrictly(read(FOLDER + folder + name))]),
  );
  return [manifests as unknown as Manifests, kustomization as Kustomization];
}

/** Compiles manifests as literals of their types: wrong types, missing fields and unknown fields are errors. */
export function schemaErrors(manifests: { apiVersion: string; kind: string }[]): string[] {
  const folder = temporaryFolder();
  symlinkSync(`${ROOT}node_modules`, join(folder, 'node_modules'));
  const file = join(folder, 'manifests.mts');
  const lines = manifests.map((each, at) => {
    const type = `import('kubernetes-models/${each.apiVersion}/${each.kind}').I${each.kind}`;
    return `export const manifest${at}: ${type} = ${JSON.stringify(each)};`;
  });
  writeFileSync(file, lines.join('\n'));
  const options = {
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
