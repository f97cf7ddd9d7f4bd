import type { Json } from '../rego/light.ts'

/** The input of a policy. Members that are undefined are undefined in the policy as well. */
export type PolicyInput = { readonly [member: string]: Json | undefined }

/** An object that was parsed from JSON, as input of a policy. Apart from decisions, so that no data plane loads the interpreter for it. */
export const policyInput = (parsed: object): PolicyInput => parsed as PolicyInput
