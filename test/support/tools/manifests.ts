import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const FOLDER = fileURLToPath(new URL('../../../deploy/kubernetes/', import.meta.url));

const MODELS = {
  'apps/v1/Deployment': Deployment,
  'autoscaling/v2/HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'networking.k8s.io/v1/Ingress': Ingress,
  'networking.k8s.io/v1/NetworkPolicy': NetworkPolicy,
  'policy/v1/PodDisruptionBudget': PodDisruptionBudget,
  'v1/Secret': Secret,
  'v1/Service': Service,
};

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

interface Labels {
  matchLabels: Record<string, string>;
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  env: { name: string; value: string }[];
  volumeMounts: { mountPath: string }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle: { preStop: { sleep: { seconds: number } } };
  resources: unknown;
  securityContext: unknown;
}

/** The fields that tests read. The schemas check the shape. */
export interface Manifests {
  [file: string]: Manifest;
  'deployment.yaml': Manifest & {
    spec: {
      selector: Labels;
      strategy: { rollingUpdate: { maxSurge: number } };
      template: {
        metadata: { labels: Record<string, string> };
        spec: {
          containers: [Container];
          securityContext: unknown;
          terminationGracePeriodSeconds: number;
          volumes: [{ secret: { secretName: string } }];
        };
      };
    };
  };
  'horizontal-pod-autoscaler.yaml': Manifest & {
    spec: { maxReplicas: number; scaleTargetRef: { name: string } };
  };
  'ingress.yaml': Manifest & {
    spec: { rules: [{ host: string; http: { paths: [{ backend: { service: unknown } }] } }] };
  };
  'kustomization.yaml': Manifest & { resources: string[] };
  'network-policy.yaml': Manifest & {
    spec: { podSelector: Labels; ingress: { ports: { port: string }[] }[]; egress: { to: unknown[] }[] };
  };
  'pod-disruption-budget.yaml': Manifest & { spec: { selector: Labels } };
  'secret.example.yaml': Manifest & { stringData: Record<string, string> };
  'service.yaml': Manifest & {
    spec: { selector: Record<string, string>; ports: { targetPort: string }[] };
  };
}

/** What `components: [pooler]` adds. */
export interface PoolerManifests {
  [file: string]: Manifest;
  'deployment.yaml': Manifest & {
    spec: { replicas: number; selector: Labels; template: Manifests['deployment.yaml']['spec']['template'] };
  };
  'kustomization.yaml': Manifest & {
    resources: string[];
    configMapGenerator: [{ name: string; files: string[] }];
    patches: { patch: string }[];
  };
  'network-policy.yaml': Manifests['network-policy.yaml'];
  'pod-disruption-budget.yaml': Manifests['pod-disruption-budget.yaml'];
  'service.yaml': Manifests['service.yaml'];
}

/** The manifests by file name. */
export const readManifests = () => readFolder('') as unknown as Manifests;
export const readPoolerManifests = () => readFolder('pooler/') as unknown as PoolerManifests;

function readFolder(folder: string): Record<string, unknown> {
  const files = readdirSync(FOLDER + folder).filter((name) => name.endsWith('.yaml'));
  return Object.fromEntries(
    files.map((name) => [name, parseStrictly(readFileSync(FOLDER + folder + name, 'utf8'))]),
  );
}

/** Parses one YAML document. @throws Error also for warnings and for more than one document */
export function parseStrictly(text: string): unknown {
  const [document, ...more] = parseAllDocuments(text, { strict: true, uniqueKeys: true, merge: true });
  if (!document || !('errors' in document) || more.length > 0) throw new Error('expected one document');
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw problem;
  return document.toJS();
}

/** The problems that the Kubernetes schemas find in a manifest: wrong types, missing fields and unknown fields. */
export function schemaErrors(manifest: Manifest): string[] {
  const name = `${manifest.apiVersion}/${manifest.kind}`;
  if (!(name in MODELS)) return [`no schema for ${name}`];
  const model = new MODELS[name as keyof typeof MODELS](manifest as never);
  try {
    model.validate();
  } catch (error) {
    return [(error as Error).message];
  }
  return typeErrors(name, manifest);
}

/** Declarations that every type check reads, parsed once. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** TypeScript refuses unknown fields in a literal, such as a misspelt probe. The schemas accept them. */
function typeErrors(name: string, manifest: Manifest): string[] {
  const file = fileURLToPath(new URL('manifest-under-test.ts', import.meta.url));
  const source = `import type { I${manifest.kind} } from 'kubernetes-models/${name}';
    export const manifest: I${manifest.kind} = ${JSON.stringify(manifest)};`;
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => path === file || disk.fileExists(path),
    getSourceFile: (path, target) => {
      if (path === file) return ts.createSourceFile(path, source, target);
      if (!parsed.has(path)) parsed.set(path, disk.getSourceFile(path, target));
      return parsed.get(path);
    },
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
