import type { Group } from './compile/tree.ts'
import { EvaluationError, PolicyError } from './errors.ts'
import type { EvaluationCode, FaultCode } from './errors.ts'
import type { Json } from './json.ts'
import { LIMITS } from './limits.ts'
import type { Dialect } from './parse/module.ts'
import { Policy } from './policy.ts'
import type { EvaluateOptions } from './policy.ts'
import { Source } from './source.ts'
import { hashOf } from './policy-hash.ts'
import { CompileWork } from './work.ts'

/** The rule that decides; the decision is its document in the policy's own package. */
const RULE = 'allow'
const FILE = 'policy.rego'

export type DecisionOptions = Pick<EvaluateOptions, 'now' | 'seed'>

/** Allowed if and only if `allow` is exactly `true`. Any error is a denial with its code. */
export interface Decision {
  readonly allowed: boolean
  /** error of the evaluation, or of the text if a stored one does not compile */
  readonly error: EvaluationCode | FaultCode | undefined
}

/** The deciding rule, for testing a policy. */
export type DecidedBy =
  | { readonly kind: 'rule'; readonly rules: readonly DecidingRule[] }
  | { readonly kind: 'default'; readonly row: number }
  | { readonly kind: 'none' }

export interface DecidingRule {
  /** position among the policy's rules of that name, from 0, without the default */
  readonly index: number
  /** line on which the body that succeeded begins, from 1 */
  readonly row: number
}

/** A customer's policy, ready to decide. It keeps no state between decisions. */
export interface DecisionPolicy {
  readonly dialect: Dialect
  /** SHA-256 of dialect and text, in hexadecimal: recorded in the audit instead of the text */
  readonly hash: string
  /** Never throws for anything that a policy or an input can cause. Undefined members of `input` stay undefined. */
  decide(input: Json | undefined, options: DecisionOptions): Decision
  /**
   * The deciding rule. Runs every rule, so it costs more than the decision. After an error, successes are not reported.
   */
  explain(input: Json | undefined, options: DecisionOptions): DecidedBy
}

/** A stored text that does not compile: it denies, with the code of its first fault. */
export const brokenPolicy = (text: string, dialect: Dialect, { faults: [fault] }: PolicyError): DecisionPolicy => ({
  dialect,
  hash: hashOf(dialect, text),
  decide: () => ({ allowed: false, error: fault?.code ?? 'rego_compile_error' }),
  explain: () => ({ kind: 'none' }),
})

class CompiledPolicy implements DecisionPolicy {
  readonly dialect: Dialect
  readonly hash: string
  readonly #policy: Policy
  readonly #group: Group

  constructor(dialect: Dialect, text: string, policy: Policy, group: Group) {
    this.dialect = dialect
    this.hash = hashOf(dialect, text)
    this.#policy = policy
    this.#group = group
  }

  decide(input: Json | undefined, options: DecisionOptions): Decision {
    try {
      const { value } = this.#policy.document(this.#group.path, this.#options(input, options))
      return { allowed: value === true, error: undefined }
    } catch (error) {
      if (error instanceof EvaluationError) return { allowed: false, error: error.code }
      throw error
    }
  }

  explain(input: Json | undefined, options: DecisionOptions): DecidedBy {
    try {
      const { value, succeeded } = this.#policy.document(this.#group.path, this.#options(input, options), this.#group)
      if (succeeded.length > 0)
        return { kind: 'rule', rules: succeeded.map(({ index, place }) => ({ index, row: place.row })) }
      const fallback = this.#group.rules.find(({ rule }) => rule.isDefault)
      if (value === undefined || fallback === undefined) return { kind: 'none' }
      return { kind: 'default', row: fallback.source.place(fallback.rule.at).row }
    } catch (error) {
      if (error instanceof EvaluationError) return { kind: 'none' }
      throw error
    }
  }

  #options(input: Json | undefined, { now, seed }: DecisionOptions): EvaluateOptions {
    return input === undefined ? { now, seed } : { input, now, seed }
  }
}

/** Compiles a stored policy, whose dialect was determined at the upload. @throws PolicyError */
export async function compileDecision(text: string, dialect: Dialect, work?: CompileWork): Promise<DecisionPolicy> {
  const policy = await Policy.compile([{ text, file: FILE }], { dialect, ...(work !== undefined && { work }) })
  const group = policy.group([...policy.package, RULE])
  if (group?.kind === 'complete') return new CompiledPolicy(dialect, text, policy, group)
  const message = `package must define ${RULE} as a complete rule`
  throw new PolicyError([{ code: 'rego_compile_error', message, place: new Source(text, FILE).place(0) }])
}

/**
 * Compiles an uploaded policy and determines its dialect: v1 if the text compiles as v1, otherwise v0 if it compiles as
 * that. The dialect is stored with the text, so that a later change of this rule changes no decision.
 * @param work shared by both dialects
 * @throws PolicyError with the faults in the dialect that the text resembles
 */
export async function compileUpload(
  text: string,
  work = new CompileWork(LIMITS.compileSteps, LIMITS.compileCpuMs),
): Promise<DecisionPolicy> {
  const newer = await attempt(text, 'v1', work)
  if ('decide' in newer) return newer
  const older = await attempt(text, 'v0', work)
  if ('decide' in older) return older
  throw looksOld(text) ? older : newer
}

async function attempt(text: string, dialect: Dialect, work: CompileWork): Promise<DecisionPolicy | PolicyError> {
  try {
    return await compileDecision(text, dialect, work)
  } catch (error) {
    if (error instanceof PolicyError) return error
    throw error
  }
}

/**
 * In v0 a brace directly follows a rule's head, however the line is indented: in v1 `if` comes between, and every other brace
 * opens a term or the body of `every`. A text that imports `rego.v1` is new.
 */
const looksOld = (text: string): boolean =>
  !/^[^\S\n]*import[^\S\n]+rego\.v1\b/m.test(text) &&
  /^[^\S\n]*(?!every\b)[A-Za-z_][^\n#{"`]*(?<!(?:\b(?:if|else|in|contains|as|not|some|with)|[:=|&;,([<>+*/%-])[^\S\n]*)\{/m.test(
    text,
  )
