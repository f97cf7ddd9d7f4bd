import type { BasicEkmPolicy } from './policy-model.ts'

/** Package of the module generated from a basic policy. */
export const BASIC_PACKAGE = 'keymgr.ekm'

/** A JSON string is a Rego string: both have the same escapes. */
const quoted = (text: string): string => JSON.stringify(text)
const setOf = (members: readonly string[]): string =>
  members.length === 0 ? 'set()' : `{${members.map(quoted).join(', ')}}`

/** One condition: the name of its rule, and its alternative bodies. */
interface Condition {
  readonly rule: string
  readonly bodies: readonly string[]
}

/** Lists of facts that a session has to prove. Their members are not empty. */
const ATTESTED = [
  { rule: 'instance_accepted', fact: 'instance_name', list: 'attestation_instance_names' },
  { rule: 'project_accepted', fact: 'project_id', list: 'attestation_project_ids' },
  { rule: 'zone_accepted', fact: 'zone', list: 'attestation_zones' },
] as const
type AttestedFact = (typeof ATTESTED)[number]['fact']

const CONFIDENTIAL: readonly string[] = ['confidentialwrap', 'confidentialunwrap']
const NOT_ATTESTED = `not input.operation in ${setOf(CONFIDENTIAL)}`

/**
 * A fact that a session has proved must be in the list. Calls without a session pass. Without proof the fact is
 * undefined, which is in no list.
 */
const attested = (rule: string, fact: string, list: readonly string[] | undefined): Condition[] =>
  list === undefined || list.length === 0
    ? []
    : [{ rule, bodies: [NOT_ATTESTED, `input.attestation.${fact} in ${setOf(list)}`] }]

/**
 * An unavailable reason is absent from the input: it is in no list, and it passes where no reason is required. A policy
 * that requires a reason but lists none, which no body can express, refuses every call.
 */
function justified({ justification_required, justification_reason: reasons = [] }: BasicEkmPolicy): Condition[] {
  if (reasons.length === 0 && !justification_required) return []
  const bodies = [`input.justificationReason in ${setOf(reasons)}`]
  return [
    {
      rule: 'justification_accepted',
      bodies: justification_required ? bodies : ['not input.justificationReason', ...bodies],
    },
  ]
}

const conditionsOf = (policy: BasicEkmPolicy): Condition[] => [
  {
    rule: 'client_listed',
    bodies: [`lower(input.clients) in ${setOf([...new Set(policy.clients.map((one) => one.toLowerCase()))])}`],
  },
  ...justified(policy),
  ...ATTESTED.flatMap(({ rule, fact, list }) => attested(rule, fact, policy[list])),
]

/** Names of the rules of a basic policy, in the order they are written. All must hold for it to allow a call. */
export const rulesOfBasic = (policy: BasicEkmPolicy): string[] => conditionsOf(policy).map(({ rule }) => rule)

/**
 * A basic policy as Rego in its present dialect: it allows a call that every condition allows. So one engine defines
 * both kinds of policy, and an owner who needs more than the basic kind can start from this text.
 */
export function regoOfBasic(policy: BasicEkmPolicy): string {
  const conditions = conditionsOf(policy)
  const rules = conditions.flatMap(({ rule, bodies }) => bodies.map((body) => `${rule} if ${body}\n`))
  return [
    `package ${BASIC_PACKAGE}\n`,
    'default allow := false\n',
    `allow if {\n${conditions.map(({ rule }) => `\t${rule}\n`).join('')}}\n`,
    ...rules,
  ].join('\n')
}

/** The input of a basic policy. */
export interface BasicQuestion {
  /** the caller's address */
  readonly clients: string
  readonly operation: string
  /** `undefined` when it is unavailable */
  readonly justificationReason: string | undefined
  /** facts that a session has proved; `undefined` without any */
  readonly attestation?: Readonly<Partial<Record<AttestedFact, string | undefined>>> | undefined
}

/**
 * Decides as the text of `regoOfBasic` does, without the interpreter, whose code alone would lengthen a cold start by
 * more than the rest of a call. A test checks that both agree.
 * @returns the first condition that does not hold; `undefined` when the call is allowed
 */
export function readyBasic(policy: BasicEkmPolicy): (question: BasicQuestion) => string | undefined {
  const clients = new Set(policy.clients.map((client) => client.toLowerCase()))
  const reasons = new Set<string>(policy.justification_reason)
  const asksForReason = reasons.size > 0 || policy.justification_required
  const lists = ATTESTED.map(({ rule, fact, list }) => ({ rule, fact, members: new Set(policy[list]) }))
  const required = lists.filter(({ members }) => members.size > 0)
  return ({ clients: client, operation, justificationReason: reason, attestation }) => {
    if (!clients.has(client.toLowerCase())) return 'client_listed'
    const isAccepted = reason === undefined ? !policy.justification_required : reasons.has(reason)
    if (asksForReason && !isAccepted) return 'justification_accepted'
    if (!CONFIDENTIAL.includes(operation)) return undefined
    return required.find(({ fact, members }) => !members.has(attestation?.[fact] ?? ''))?.rule
  }
}
