/** A client's call on one resource. `id` and `rev` are those that some client had seen. */
export type Action =
  | { readonly verb: 'create'; readonly value: string }
  | { readonly verb: 'find' | 'append' }
  | { readonly verb: 'read'; readonly id: string }
  | { readonly verb: 'change'; readonly id: string; readonly value: string; readonly rev?: number | undefined }
  | { readonly verb: 'remove'; readonly id: string; readonly rev?: number | undefined }
  | { readonly verb: 'grant' | 'withdraw'; readonly user: string }

export type Verb = Action['verb']

/** The answer: success with the members of the resource, or the kind of refusal. */
export interface Answer {
  /** `busy`: refused because of other work, without effect, in whatever state */
  readonly outcome: 'done' | 'absent' | 'taken' | 'stale' | 'busy'
  readonly id?: string | undefined
  readonly rev?: number | undefined
  readonly value?: string | undefined
  readonly count?: number | undefined
  readonly users?: readonly string[] | undefined
}

/** A call. Times are positions in the order in which the clients sent requests and received answers. */
export interface Entry {
  readonly client: number
  readonly action: Action
  /** message of the audit record that its effect leaves; `undefined` for reads */
  readonly effect?: string | undefined
  readonly began: number
  /** Infinity without an answer: the call may take effect at any later time, or never */
  readonly ended: number
  readonly answer?: Answer | undefined
}

/** All calls to one resource, and the audit records of their effects. */
export interface ResourceHistory {
  readonly name: string
  readonly initial: string
  readonly entries: readonly Entry[]
  /** number of successful records by message; `undefined` if they are not compared */
  readonly records?: Readonly<Record<string, number>> | undefined
}

/** A sequential specification. States are texts, so that they can be compared. */
export interface Model {
  /**
   * The state after the action, or `undefined` if the action cannot have this answer in this state. Without an answer:
   * the state after its effect, or `undefined` if it has none.
   */
  readonly next: (state: string, action: Action, answer: Answer | undefined) => string | undefined
}
