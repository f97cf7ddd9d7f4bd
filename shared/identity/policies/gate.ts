import { Refusal } from '../../base/errors.ts'
import { resourceUri } from '../../base/ids.ts'
import { fieldsOf, isObject } from '../../base/json.ts'
import type { Caller, Subject, ToBeMade } from '../../http/context.ts'
import type { Gate } from '../../http/request/gate.ts'
import { isList } from '../../http/lists/list-size.ts'
import { concerns, mayConcern, rulesFor, uriOf, type Rules, type Statement } from './evaluate.ts'

/** Reveals nothing about the policy. */
export const denied = (): Refusal => new Refusal('ACTION_DENIED', 'Policies do not permit this call.')

/** Services that differ from the segment of the path after the version. */
const SERVICES: Readonly<Record<string, string>> = { domains: 'admin', domain: 'admin', scheduler: 'keymgr' }

/** The service in URIs of the records below an address. */
function serviceOf(path: string): string {
  const [, , service = ''] = path.split('/')
  return SERVICES[service] ?? service
}

/** The decision that remains for each record of a call. */
export interface Judgement {
  readonly statements: readonly Statement[]
  readonly rules: Rules
  /** whether the caller needs an allowance, since no group of theirs may make the call */
  readonly isOpened: boolean
}

interface JudgedCall {
  readonly caller: Caller
  /** parsed later than the gate is made; absent for work without a request */
  readonly body?: () => unknown
  /** of its route; absent for work without a request, which always concerns a certain record */
  readonly path?: string
}

/** Where a call without a request has its records. */
const WITHOUT_REQUEST = '/v1/keymgr/{id}'

/**
 * Evaluates policies that name records or conditions. A denial takes precedence; a call that only a policy permits
 * needs an allowance for each record.
 */
export class PolicyGate implements Gate {
  readonly #statements: readonly Statement[]
  readonly #rules: Rules
  readonly #isOpened: boolean
  readonly #call: JudgedCall
  /** subjects by URI, as first named; those in `#allowed` are decided */
  readonly #subjects = new Map<string, Subject>()
  readonly #allowed = new Set<string>()
  #isDecided = false

  constructor({ statements, rules, isOpened }: Judgement, call: JudgedCall) {
    this.#statements = statements
    this.#rules = rules
    this.#isOpened = isOpened
    this.#call = call
  }

  get #path(): string {
    return this.#call.path ?? WITHOUT_REQUEST
  }

  restart(): void {
    this.#subjects.clear()
    this.#allowed.clear()
  }

  about(subject: Subject): void {
    if (this.#isDecided) return
    const known = this.#subjects.get(subject.uri)
    // the record before the call decides: its change must not bring it under an allowance
    this.#subjects.set(subject.uri, { ...subject, ...(known?.record && { record: known.record }) })
    this.#decide(subject.uri, known?.record ?? subject.record)
  }

  uses(action: string, record: Readonly<{ uri: string }>): void {
    const { denies } = rulesFor(this.#statements, this.#call.caller, action)
    if (denies.some((one) => concerns(one, record.uri, record) === true)) throw denied()
  }

  beforeEffects(made?: ToBeMade): void {
    if (this.#isDecided) return
    const { caller } = this.#call
    const body = this.#call.body?.()
    if (this.#subjects.size > 0) this.#decideSubjects(undefined)
    else if (made) this.#decide(resourceUri(caller.domain.id, 'keymgr', made.type, made.id), isObject(body) ? body : {})
    else this.#decideUnknown('keymgr')
    this.#isDecided = true
  }

  settle<R extends { readonly body: unknown }>(reply: R): R {
    if (this.#isDecided) return reply
    const { body } = reply
    if (isList(body)) return { ...reply, body: { ...body, resources: this.#visible(body.resources) } }
    this.#decideSubjects(body)
    const uri = uriOf(body)
    if (uri !== undefined) this.#decide(uri, fieldsOf(body))
    else if (this.#subjects.size === 0) this.#decideUnnamed()
    return reply
  }

  /** an allowance for single records does not permit a list */
  #visible(resources: readonly unknown[]): unknown[] {
    if (this.#isOpened) throw denied()
    const { denies } = this.#rules
    return resources.filter((one) => {
      const uri = uriOf(one)
      return uri === undefined
        ? !this.#mayConcern(serviceOf(this.#path))
        : !denies.some((rule) => concerns(rule, uri, fieldsOf(one)) === true)
    })
  }

  /** @param record `undefined` defers conditions on its fields to a later step */
  #decide(uri: string, record: object | undefined): void {
    if (this.#rules.denies.some((one) => concerns(one, uri, record) === true)) throw denied()
    if (!this.#isOpened || this.#allowed.has(uri)) return
    const fits = this.#rules.allows.map((one) => concerns(one, uri, record))
    if (fits.includes(true)) this.#allowed.add(uri)
    else if (!fits.includes(undefined)) throw denied()
  }

  /**
   * Decides the deferred conditions; changed fields count with their values before the change. For a record without
   * known fields, a policy with conditions denies but does not allow.
   */
  #decideSubjects(body: unknown): void {
    for (const [uri, { record, before }] of this.#subjects) {
      const known = record ?? (uriOf(body) === uri ? { ...fieldsOf(body), ...before } : undefined)
      this.#decide(uri, known)
      const isOpen = known === undefined && this.#rules.denies.some((one) => concerns(one, uri, known) === undefined)
      if (isOpen || (this.#isOpened && !this.#allowed.has(uri))) throw denied()
    }
  }

  /** Decides a call that names no record. A call on a certain record is denied by any policy that may apply to it. */
  #decideUnnamed(): void {
    if (this.#path.includes('{')) this.#decideUnknown(serviceOf(this.#path))
    else if (this.#isOpened) throw denied()
  }

  #decideUnknown(service: string): void {
    if (this.#isOpened || this.#mayConcern(service)) throw denied()
  }

  #mayConcern(service: string): boolean {
    return this.#rules.denies.some((one) => mayConcern(one, this.#call.caller.domain.id, service))
  }
}
