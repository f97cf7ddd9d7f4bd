import { hashOf } from '../rego/light.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { DecisionPolicy, Dialect } from './policy-decision.ts'

/** A policy in Rego, as a data plane keeps it with its endpoint. */
export interface ServedPolicy {
  readonly text: string
  /** its name in records */
  readonly hash: string
  readonly dialect: Dialect
  /** Held weakly: number and total size of compiled policies are bounded elsewhere. */
  readonly compiled: WeakRef<DecisionPolicy>
}

/** Four fifths of all code: loaded for the first policy that needs it. */
const interpreter = () => import('./policy-decision.ts')

async function compile(text: string, dialect: Dialect): Promise<DecisionPolicy> {
  const { compiledPolicy } = await interpreter()
  return compiledPolicy(text, dialect)
}

/** A policy that was read with its endpoint. @param before of the last read: the same text is not compiled again */
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
