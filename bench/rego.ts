import { compileDecision } from '../shared/rego/index.ts'
import { spreadOf, type Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'

/** A typical policy: thirty lines, four rules, a set, a partial rule. */
const POLICY = `package endpoint

default allow = false

admins = {"ann@example.com", "bob@example.com", "eve@example.com"}

reasons = {"CUSTOMER_INITIATED_ACCESS", "CUSTOMER_INITIATED_SUPPORT"}

allow {
	is_admin
	input.operation == "wrap"
	input.reason == reasons[_]
}

allow {
	lower(input.authentication.email) == lower(input.authorization.email)
	endswith(input.authentication.email, "@example.com")
	not blocked[input.authentication.email]
	input.operation == "unwrap"
}

is_admin {
	admins[lower(input.authentication.email)]
}

blocked[email] {
	email := input.blocklist[_]
}
`

/** Input as received: every member that the policy reads may be missing. */
interface Input {
  readonly operation?: string
  readonly reason?: string
  readonly authentication?: { readonly email?: string }
  readonly authorization?: { readonly email?: string }
  readonly blocklist?: readonly string[]
}

const person = (email: string, operation: string, reason: string): Input => ({
  operation,
  reason,
  authentication: { email },
  authorization: { email: email.toLowerCase() },
  blocklist: ['mallory@example.com'],
})

const INPUTS: readonly Input[] = [
  person('Carl@example.com', 'unwrap', ''),
  person('Ann@example.com', 'wrap', 'CUSTOMER_INITIATED_SUPPORT'),
  person('Ann@example.com', 'wrap', 'none'),
]

const ADMINS = new Set(['ann@example.com', 'bob@example.com', 'eve@example.com'])
const REASONS = new Set(['CUSTOMER_INITIATED_ACCESS', 'CUSTOMER_INITIATED_SUPPORT'])

/** The same decision, implemented in TypeScript. */
function decided({ operation, reason, authentication, authorization, blocklist }: Input): boolean {
  const email = authentication?.email
  const authorized = authorization?.email
  if (email === undefined) return false
  if (ADMINS.has(email.toLowerCase()) && operation === 'wrap' && reason !== undefined && REASONS.has(reason))
    return true
  if (authorized === undefined || email.toLowerCase() !== authorized.toLowerCase()) return false
  return email.endsWith('@example.com') && !blocklist?.includes(email) && operation === 'unwrap'
}

const repeated = (decide: (input: Input) => boolean) => ({
  run: (calls: number) => {
    let allowed = 0
    for (let at = 0; at < calls; at++) for (const input of INPUTS) if (decide(input)) allowed++
    if (allowed !== 2 * calls) throw new Error('the two decide differently')
  },
})

/** Rules of the same kind, up to a size. */
function longPolicy(bytes: number): string {
  const rule = (n: number): string => `\nallow {\n\tinput.operation == "op${n}"\n\tnot blocked[input.names[${n}]]\n}\n`
  let text = POLICY
  for (let n = 0; text.length + rule(n).length <= bytes; n++) text += rule(n)
  return text
}

/** Warm decisions against the same in TypeScript: at most 30 times. Compiling 2 KiB, warm: at most 1 ms. */
export async function measure(): Promise<Figure[]> {
  const policy = await compileDecision(POLICY, 'v0')
  const options = { now: 0n, seed: '' }
  const ours = repeated((input) => policy.decide({ ...input }, options).allowed)
  const outcome = await compare({ ours, bare: repeated(decided), rounds: 21, turns: 4, calls: 2_000, warmUp: 10 })
  const note = versus({ oursMs: outcome.oursMs / INPUTS.length, bareMs: outcome.bareMs / INPUTS.length })
  return [
    { name: 'rego decision: time / TypeScript', measured: outcome.ratio, promise: { atMost: 30 }, note },
    await manyRoles(),
    await compiling(longPolicy(2_048)),
  ]
}

const FEW_ROLES = 100
const MANY_ROLES = 10_000

/** A policy that compares a member of the input with the elements of a set. */
const rolePolicy = (count: number): string =>
  `package endpoint\n\nallow if {\n\tsome role in roles\n\trole == input.role\n}\n\nroles := {${Array.from(new Array(count).keys()).join()}}\n`

async function manyRoles(): Promise<Figure> {
  const options = { now: 0n, seed: '' }
  const over = async (count: number) => {
    const policy = await compileDecision(rolePolicy(count), 'v1')
    return {
      run: (calls: number) => {
        for (let at = 0; at < calls; at++)
          for (const role of [1, count - 1])
            if (!policy.decide({ role }, options).allowed) throw new Error(`${role} of ${count} was refused`)
      },
    }
  }
  const [ours, bare] = [await over(MANY_ROLES), await over(FEW_ROLES)]
  const outcome = await compare({ ours, bare, rounds: 21, turns: 4, calls: 2_000, warmUp: 10 })
  const name = `rego decision over ${MANY_ROLES} roles / over ${FEW_ROLES}`
  return { name, measured: outcome.ratio, promise: { atMost: 1.2 }, note: versus(outcome) }
}

async function compiling(text: string): Promise<Figure> {
  const tookMs: number[] = []
  for (let round = 0; round < 40; round++) {
    const from = performance.now()
    for (let at = 0; at < 25; at++) await compileDecision(text, 'v0')
    tookMs.push((performance.now() - from) / 25)
  }
  const measured = spreadOf(tookMs.slice(19))
  return { name: 'rego compile, 2 KiB: ms', measured, promise: { atMost: 1 }, note: `${text.length} bytes of policy` }
}
