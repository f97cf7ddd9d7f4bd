import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call } from '../wire/call.ts'
import type { Caller } from './caller.ts'
import { rootArn, type SimulatedAccount } from '../accounts/accounts.ts'
import { limitExceeded } from '../wire/refusals.ts'
import { partitionOf } from '../accounts/regions.ts'

type Principals = '*' | Readonly<Record<string, unknown>>

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Principal?: Principals
  readonly NotPrincipal?: Principals
  readonly Action?: unknown
  readonly NotAction?: unknown
  readonly Condition?: unknown
}

const MAX_BYTES = 32_768
/** Printable Latin-1 with tab, line feed and carriage return. */
const CHARACTERS = /^[\t\n\r\x20-\xff]+$/
/** Condition keys that this service evaluates. */
const ACCOUNT_KEYS = ['aws:principalaccount', 'kms:calleraccount']

const malformed = (message: string) => new ServiceError('MalformedPolicyDocumentException', message)

/**
 * The stored form of a policy. The real service reformats policies: it returns the same JSON, seldom the same text.
 * @param options.bypass skips the check that the caller can change the policy again
 * @throws ServiceError MalformedPolicyDocumentException, LimitExceededException
 */
export function acceptPolicy(call: Call, text: string, { bypass }: { bypass: boolean }): string {
  if (Buffer.byteLength(text) > MAX_BYTES) throw limitExceeded(`The policy is longer than ${MAX_BYTES} bytes.`)
  if (!CHARACTERS.test(text)) throw malformed('The policy contains characters that are not allowed.')
  const statements = readStatements(text)
  for (const statement of statements) {
    for (const principal of [statement.Principal, statement.NotPrincipal]) requirePrincipals(call, principal)
  }
  const { caller } = call
  const keepsControl =
    matching(statements, 'Allow', caller, 'kms:PutKeyPolicy') &&
    !matching(statements, 'Deny', caller, 'kms:PutKeyPolicy')
  if (!bypass && !keepsControl) {
    throw malformed('The new key policy will not allow you to update the key policy in the future.')
  }
  return JSON.stringify(JSON.parse(text), null, 2)
}

/**
 * The decision of a key's policy: an action needs a statement that allows it. A statement that names the account
 * delegates the decision to the caller's IAM rights, which here are all rights.
 */
export function decide(policy: string, caller: Caller, action: string): 'Allow' | 'Deny' | 'neither' {
  const statements = readStatements(policy)
  if (matching(statements, 'Deny', caller, action)) return 'Deny'
  return matching(statements, 'Allow', caller, action) ? 'Allow' : 'neither'
}

export function defaultPolicy(account: SimulatedAccount): string {
  const statement = {
    Sid: 'Enable IAM User Permissions',
    Effect: 'Allow',
    Principal: { AWS: rootArn(account) },
    Action: 'kms:*',
    Resource: '*',
  }
  return JSON.stringify({ Version: '2012-10-17', Id: 'key-default-1', Statement: [statement] }, null, 2)
}

function readStatements(text: string): readonly Statement[] {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw malformed('The policy is not valid JSON.')
  }
  if (!isObject(document)) throw malformed('The policy is not a JSON object.')
  const { Version = '2012-10-17', Statement } = document
  if (Version !== '2012-10-17' && Version !== '2008-10-17') throw malformed('The policy has an unknown version.')
  const statements: readonly unknown[] = Array.isArray(Statement) ? Statement : [Statement]
  if (statements.length === 0 || !statements.every(isStatement)) {
    throw malformed('Each statement needs an effect and at least one principal.')
  }
  return statements
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPrincipals = (value: unknown): boolean => value === '*' || (isObject(value) && Object.keys(value).length > 0)

/** A statement without action has no effect but is accepted, as by the real service. */
function isStatement(value: unknown): value is Statement {
  if (!isObject(value)) return false
  const { Effect, Principal, NotPrincipal } = value
  if (Effect !== 'Allow' && Effect !== 'Deny') return false
  return (Principal === undefined) !== (NotPrincipal === undefined) && isPrincipals(Principal ?? NotPrincipal)
}

function requirePrincipals(call: Call, principals: Principals | undefined): void {
  for (const name of awsPrincipals(principals)) {
    const known = name === '*' || /^\d{12}$/.test(name) || isPrincipal(call, name)
    if (!known) throw malformed('Policy contains a statement with one or more invalid principals.')
  }
}

/**
 * Whether an ARN names an existing account, user, role or session. Ours: users and roles of accounts that are not
 * simulated are accepted.
 */
export function isPrincipal({ accounts, caller }: Pick<Call, 'accounts' | 'caller'>, arn: string): boolean {
  const { arnName } = partitionOf(caller.account.cloud_name)
  const form = new RegExp(`^arn:${arnName}:(?:iam|sts)::(\\d{12}):(root|(?:user|role|assumed-role)/.+)$`)
  const [, owner, resource = ''] = form.exec(arn) ?? []
  const account = accounts.get(owner ?? '')
  return owner !== undefined && (account === undefined || has(account, resource))
}

function has({ users, roles }: SimulatedAccount, resource: string): boolean {
  const [kind, name = ''] = resource.split('/')
  if (kind === 'root') return true
  return kind === 'user' ? users.includes(name) : roles.some((role) => role.name === name)
}

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string')

function awsPrincipals(principals: Principals | undefined): string[] {
  if (principals === undefined) return []
  return principals === '*' ? ['*'] : listOf(principals.AWS)
}

const matching = (statements: readonly Statement[], effect: Statement['Effect'], caller: Caller, action: string) =>
  statements.some(
    (statement) =>
      statement.Effect === effect &&
      concerns(statement, caller) &&
      actsOn(statement, action) &&
      holds(statement.Condition, caller),
  )

function concerns({ Principal, NotPrincipal }: Statement, caller: Caller): boolean {
  const { account, arn, principalArn } = caller
  const names = ['*', account.id, rootArn(account), arn, principalArn]
  const named = awsPrincipals(Principal ?? NotPrincipal).some((each) => names.includes(each))
  return Principal === undefined ? !named : named
}

function actsOn({ Action, NotAction }: Statement, action: string): boolean {
  if (Action !== undefined) return listOf(Action).some((pattern) => fits(pattern, action))
  return NotAction !== undefined && !listOf(NotAction).some((pattern) => fits(pattern, action))
}

function fits(pattern: string, action: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i').test(action)
}

/** Ours: a statement has no effect if it has a condition on anything but the caller's account. */
function holds(condition: unknown, { account }: Caller): boolean {
  if (condition === undefined) return true
  if (!isObject(condition)) return false
  return Object.entries(condition).every(
    ([operator, wanted]) =>
      operator === 'StringEquals' &&
      isObject(wanted) &&
      Object.entries(wanted).every(
        ([key, values]) => ACCOUNT_KEYS.includes(key.toLowerCase()) && listOf(values).includes(account.id),
      ),
  )
}
