import type { EkmPolicy } from './policy-model.ts'
import { regoOfBasic } from './basic-policy.ts'
import { hashOf } from '../../rego/light.ts'
import type { StoredEkmEndpoint } from './store.ts'

/** The Rego that decides for an endpoint: its own, or the text generated from its basic policy. */
export const textOfPolicy = ({ basic, rego }: EkmPolicy): string =>
  rego ?? (basic === undefined ? '' : regoOfBasic(basic))

/** The dialect of that Rego: generated text is in the present one. */
export const dialectOfPolicy = ({ dialect = 'v1' }: Pick<StoredEkmEndpoint, 'dialect'>): 'v0' | 'v1' => dialect

/** Identifies a policy in records: the hash of the Rego that decides, with its dialect. */
export const hashOfPolicy = ({ policy, dialect }: Pick<StoredEkmEndpoint, 'policy' | 'dialect'>): string =>
  hashOf(dialectOfPolicy({ dialect }), textOfPolicy(policy))
