import { hashOf } from '../rego/light.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { DecisionPolicy, Dialect } from './policy-decision.ts'

/** A policy in Rego, cached with its endpoint by a data plane. */
export interface ServedPolicy {
  readonly text: string
  /** identifies it in records */
  readonly hash: string
  readonly dialect: Dialect
  /** Referenced weakly: another cache bounds the number and total size of compiled policies. */
  readonly compiled: WeakRef<DecisionPolicy>
}

/** Four fifths of all code, therefore loaded for the first policy that needs it. */
const interpreter = () => import('./policy-decision.ts')

async function compile(text: string, dialect: Dialect): Promise<DecisionPolicy> {
  const { compiledPolicy } = await interpreter()
  return compiledPolicy(text, dialect)
}

/**
 * A policy that was read with its endpoint. @param before that of the last read: an unchanged text is not compiled
 * again
 */
export async function servedPolicy(
  text: string,
  dialect: Dialect,
  before: ServedPolicy | undefined,
): Promise<ServedPolicy> {
  if (before?.text === text && before.dialect === dialect) return before
  return { text, dialect, hash: hashOf(dialect, text), compiled: new WeakRef(await compile(text, dialect)) }
}

/** The policy, ready to decide; compiled again only when it was dropped from the cache. */
export const policyToDecide = ({ compiled, text, dialect }: ServedPolicy): MaybePromise<DecisionPolicy> =>
  compiled.deref() ?? compile(text, dialect)
