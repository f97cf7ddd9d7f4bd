import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ownText } from '../../toolkit/own-text.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import { optionalList, texts, type Input } from '../../toolkit/aws/input.ts'
import { rootArn } from '../accounts/accounts.ts'
import type { Caller } from '../authentication/caller.ts'
import { specRow, type KeyUsage } from '../keys/key-specs.ts'
import { validation } from '../wire/refusals.ts'

export type EncryptionContext = Readonly<Record<string, string>>

export interface GrantConstraints {
  readonly EncryptionContextSubset?: EncryptionContext
  readonly EncryptionContextEquals?: EncryptionContext
}

/** A grant on a key: actions that its grantee may perform in addition to what the key policy allows. */
export interface Grant {
  /** 64 hex characters */
  readonly id: string
  readonly name: string | undefined
  readonly granteePrincipal: string
  readonly retiringPrincipal: string | undefined
  /** Sorted, without duplicates. */
  readonly operations: readonly string[]
  readonly constraints: GrantConstraints | undefined
  /** ARN of the account that created the grant. */
  readonly issuingAccount: string
  /** In milliseconds. */
  readonly createdAt: number
  /** Number of uses that do not see the grant yet, unless they contain its token. */
  hiddenReads: number
}

/** Location of a grant, which its token contains. */
export interface GrantPlace {
  readonly account: string
  readonly region: string
  readonly keyId: string
  readonly grantId: string
}

/** Operations that a grant on any key may allow, without regard to the encryption context. */
const ON_EVERY_KEY = ['CreateGrant', 'DescribeKey', 'RetireGrant']

/** Operations of symmetric encryption keys, all with an encryption context. */
const SYMMETRIC = [
  'Decrypt',
  'Encrypt',
  'GenerateDataKey',
  'GenerateDataKeyPair',
  'GenerateDataKeyPairWithoutPlaintext',
  'GenerateDataKeyWithoutPlaintext',
  'ReEncryptFrom',
  'ReEncryptTo',
]

const BY_USAGE: Readonly<Record<KeyUsage, readonly string[]>> = {
  ENCRYPT_DECRYPT: ['Decrypt', 'Encrypt', 'GetPublicKey', 'ReEncryptFrom', 'ReEncryptTo'],
  SIGN_VERIFY: ['GetPublicKey', 'Sign', 'Verify'],
  GENERATE_VERIFY_MAC: ['GenerateMac', 'VerifyMac'],
  KEY_AGREEMENT: ['DeriveSharedSecret', 'GetPublicKey'],
}

/** Operations that the real service knows but no key here supports. */
const FOREIGN = ['Decapsulate', 'Encapsulate']

export const GRANT_OPERATIONS = [
  ...new Set([...ON_EVERY_KEY, ...SYMMETRIC, ...Object.values(BY_USAGE).flat(), ...FOREIGN]),
]

const isSymmetric = ({ spec }: { spec: string }): boolean => specRow(spec).family === 'symmetric'

/** @throws ServiceError ValidationException for an operation or a constraint that does not fit the key */
export function requireFit(
  key: { readonly spec: string; readonly usage: KeyUsage },
  { operations, constraints }: Pick<Grant, 'operations' | 'constraints'>,
): void {
  const possible = [...ON_EVERY_KEY, ...(isSymmetric(key) ? SYMMETRIC : BY_USAGE[key.usage])]
  const foreign = operations.filter((each) => !possible.includes(each))
  if (foreign.length > 0) {
    throw validation(`Operations ${foreign.join(', ')} are not supported in a grant on a ${key.spec} key.`)
  }
  const isCryptographic = operations.some((each) => !ON_EVERY_KEY.includes(each))
  if (constraints !== undefined && !isSymmetric(key) && isCryptographic) {
    throw validation('Encryption context constraints are for grants on symmetric encryption keys.')
  }
}

/** A use of a key that needs a grant. */
export interface GrantedUse {
  readonly caller: Pick<Caller, 'account' | 'arn' | 'principalArn'>
  /** As operations are spelled in grants: `ReEncryptFrom`. */
  readonly operation: string
  readonly context: EncryptionContext
}

/** Whether a grant names a caller. An account represents all its users and roles. */
export const isCaller = ({ account, arn, principalArn }: GrantedUse['caller'], principal: string): boolean =>
  [arn, principalArn, rootArn(account)].includes(principal)

export const grantAllows = (grant: Grant, { caller, operation, context }: GrantedUse): boolean =>
  isCaller(caller, grant.granteePrincipal) &&
  grant.operations.includes(operation) &&
  (ON_EVERY_KEY.includes(operation) || satisfies(context, grant.constraints))

/** Compares the names of pairs without regard to case, their values exactly. */
function satisfies(context: EncryptionContext, constraints: GrantConstraints = {}): boolean {
  const { EncryptionContextSubset: subset, EncryptionContextEquals: equals } = constraints
  return (subset === undefined || includes(context, subset)) && (equals === undefined || isEqual(context, equals))
}

const lowered = (pairs: EncryptionContext) =>
  new Map(Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), value]))

function includes(whole: EncryptionContext, part: EncryptionContext): boolean {
  const held = lowered(whole)
  return [...lowered(part)].every(([name, value]) => held.get(name) === value)
}

const isEqual = (a: EncryptionContext, b: EncryptionContext) => includes(a, b) && includes(b, a)

/**
 * Whether the grantee of `parent` may create `child`: it has no more operations, and each context that fits it also
 * fits `parent`.
 */
export function isNoWider(child: Pick<Grant, 'operations' | 'constraints'>, parent: Grant): boolean {
  if (!child.operations.every((each) => parent.operations.includes(each))) return false
  const { EncryptionContextSubset: subset, EncryptionContextEquals: equals } = parent.constraints ?? {}
  const own = child.constraints ?? {}
  if (equals !== undefined)
    return own.EncryptionContextEquals !== undefined && isEqual(own.EncryptionContextEquals, equals)
  if (subset === undefined) return true
  return [own.EncryptionContextEquals, own.EncryptionContextSubset].some(
    (each) => each !== undefined && includes(each, subset),
  )
}

/** Members that contain the encryption context, where the member is not `EncryptionContext`. */
const CONTEXTS: Readonly<Record<string, string>> = {
  ReEncryptFrom: 'SourceEncryptionContext',
  ReEncryptTo: 'DestinationEncryptionContext',
}

export const contextOf = (input: Input, operation: string): EncryptionContext =>
  texts(input, CONTEXTS[operation] ?? 'EncryptionContext')

const MAX_TOKENS = 10
const MAX_TOKEN = 8192
const invalidToken = () => new ServiceError('InvalidGrantTokenException', 'The grant token is not valid.')

const CONTENT = ownText<readonly string[]>()

/** A token that names a grant; each token is different. */
export function grantToken(secret: Buffer, { account, region, keyId, grantId }: GrantPlace): string {
  const content = [account, region, keyId, grantId, randomBytes(12).toString('hex')]
  const body = Buffer.from(CONTENT.write(content)).toString('base64url')
  return `${body}.${macOf(secret, body).toString('base64url')}`
}

const macOf = (secret: Buffer, body: string) => createHmac('sha256', secret).update(`grant token ${body}`).digest()

/** @throws ServiceError InvalidGrantTokenException for a token of another simulator or region */
export function openGrantToken(secret: Buffer, { region }: Pick<Caller, 'region'>, token: unknown): GrantPlace {
  if (typeof token !== 'string' || token.length > MAX_TOKEN) throw invalidToken()
  const [body = '', signature = ''] = token.split('.')
  const expected = macOf(secret, body)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidToken()
  const [account = '', place = '', keyId = '', grantId = ''] = CONTENT.read(
    Buffer.from(body, 'base64url').toString('utf8'),
  )
  if (place !== region) throw invalidToken()
  return { account, region, keyId, grantId }
}

/** Ids of the grants whose tokens a request contains. @throws ServiceError ValidationException, as `openGrantToken` */
export function carriedGrants(secret: Buffer, caller: Pick<Caller, 'region'>, input: Input): ReadonlySet<string> {
  const tokens = optionalList(input, 'GrantTokens') ?? []
  if (tokens.length > MAX_TOKENS) throw validation(`A request carries at most ${MAX_TOKENS} grant tokens.`)
  return new Set(tokens.map((each) => openGrantToken(secret, caller, each).grantId))
}
