import { Refusal } from '../base/errors.ts'
import type { CloudKind } from './connections/model.ts'
import type { CloudA } from '../clouds/cloud-a/adapter/types.ts'
import type { CloudC } from '../clouds/cloud-c/adapter/types.ts'

/** The clouds that are built. */
export interface Clouds {
  'cloud-a': CloudA
  'cloud-c': CloudC
}

/** A row each, loaded when first asked for: a cloud's SDK is large, and most requests call none. */
const CLOUDS: { readonly [Kind in keyof Clouds]: () => Promise<Clouds[Kind]> } = {
  'cloud-a': async () => (await import('../clouds/cloud-a/adapter/verbs.ts')).cloudA,
  'cloud-c': async () => (await import('../clouds/cloud-c/adapter/verbs.ts')).cloudC,
}

export const isBuilt = (kind: CloudKind): kind is keyof Clouds => Object.hasOwn(CLOUDS, kind)

/** @throws Refusal NOT_SUPPORTED, naming the cloud, when it is not built yet */
export function assertBuilt(kind: CloudKind): asserts kind is keyof Clouds {
  if (!isBuilt(kind)) throw new Refusal('NOT_SUPPORTED', `${kind} is not offered yet.`)
}

export const cloudNamed = <Kind extends keyof Clouds>(kind: Kind): Promise<Clouds[Kind]> => CLOUDS[kind]()
