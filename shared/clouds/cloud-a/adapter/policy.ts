import { isObject } from '../../../base/json.ts'
import type { Refusal } from '../../../base/errors.ts'
import { ruleBroken } from '../../../base/errors.ts'
import type { PolicyLists } from '../keys/bodies.ts'
import type { CloudAName } from '../keys/model.ts'
import { PARTITIONS } from './partitions.ts'

type Document = Readonly<Record<string, unknown>>
type Statement = Readonly<Record<string, unknown>>

const VERSION = '2012-10-17'
const DENIAL = 'keymgrDenyEncryption'

const rootOf = (cloud: CloudAName, account: string): string => `arn:${PARTITIONS[cloud].name}:iam::${account}:root`

const allow = (Sid: string, principals: readonly string[], Action: string | readonly string[]): Statement => ({
  Sid,
  Effect: 'Allow',
  Principal: { AWS: principals },
  Action,
  Resource: '*',
})

const ownerMayAll = (cloud: CloudAName, account: string): Statement =>
  allow('Enable IAM User Permissions', [rootOf(cloud, account)], 'kms:*')

/** The cloud's policy for a key created without one: the account's IAM policies decide. */
export const defaultPolicy = (cloud: CloudAName, account: string): Document => ({
  Version: VERSION,
  Statement: [ownerMayAll(cloud, account)],
})

const ADMINISTERING = [
  'kms:Create*',
  'kms:Describe*',
  'kms:Enable*',
  'kms:List*',
  'kms:Put*',
  'kms:Update*',
  'kms:Revoke*',
  'kms:Disable*',
  'kms:Get*',
  'kms:Delete*',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:ScheduleKeyDeletion',
  'kms:CancelKeyDeletion',
  'kms:ImportKeyMaterial',
  'kms:ReplicateKey',
  'kms:RotateKeyOnDemand',
]
/** For every kind of key: actions that do not apply to a key have no effect. */
const USING = [
  'kms:Encrypt',
  'kms:Decrypt',
  'kms:ReEncrypt*',
  'kms:GenerateDataKey*',
  'kms:DescribeKey',
  'kms:GetPublicKey',
  'kms:Sign',
  'kms:Verify',
  'kms:GenerateMac',
  'kms:VerifyMac',
]
const GRANTING = ['kms:CreateGrant', 'kms:ListGrants', 'kms:RevokeGrant']

const NAME = /^[\w+=,.@-]+(\/[\w+=,.@-]+)*$/
const ACCOUNT = /^\d{12}$/

const unclear = (list: keyof PolicyLists, index: number, detail: string): Refusal =>
  ruleBroken(list, detail, `#/${list}/${index}`)

/** The ARNs of users or roles, given as names within the account or as ARNs of any account. */
function identities(
  cloud: CloudAName,
  account: string,
  kind: 'user' | 'role',
  list: keyof PolicyLists,
  given: readonly string[] = [],
): string[] {
  const { name: partition } = PARTITIONS[cloud]
  const arn = new RegExp(`^arn:${partition}:iam::\\d{12}:${kind}/(.+)$`)
  return given.map((one, index) => {
    const name = arn.exec(one)?.[1] ?? one
    if (!NAME.test(name)) throw unclear(list, index, `must be names or ARNs of ${kind}s`)
    return name === one ? `arn:${partition}:iam::${account}:${kind}/${name}` : one
  })
}

/** The root ARNs of accounts, given as ids or root ARNs. */
const accounts = (cloud: CloudAName, given: readonly string[] = []): string[] =>
  given.map((one, index) => {
    const id = one.split(':')[4] ?? one
    const arn = rootOf(cloud, id)
    if (!ACCOUNT.test(id) || (one !== id && one !== arn))
      throw unclear('external_accounts', index, 'must be ids of 12 digits, or root ARNs, of accounts')
    return arn
  })

/**
 * The policy of a key: the given users and roles administer and use it, other whole accounts use it. The account itself
 * keeps all rights, so that no key becomes unmanageable.
 * @throws Refusal RULE_BROKEN, pointing at a text that is neither a name nor an ARN
 */
export function policyFromLists(cloud: CloudAName, account: string, lists: PolicyLists): Document {
  const administrators = [
    ...identities(cloud, account, 'user', 'key_admins', lists.key_admins),
    ...identities(cloud, account, 'role', 'key_admins_roles', lists.key_admins_roles),
  ]
  const users = [
    ...identities(cloud, account, 'user', 'key_users', lists.key_users),
    ...identities(cloud, account, 'role', 'key_users_roles', lists.key_users_roles),
    ...accounts(cloud, lists.external_accounts),
  ]
  const grants = {
    ...allow('Allow attachment of persistent resources', users, GRANTING),
    Condition: { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
  }
  return {
    Version: VERSION,
    Statement: [
      ownerMayAll(cloud, account),
      ...(administrators.length > 0
        ? [allow('Allow access for Key Administrators', administrators, ADMINISTERING)]
        : []),
      ...(users.length > 0 ? [allow('Allow use of the key', users, USING), grants] : []),
    ],
  }
}

/**
 * The policy with encryption denied and decryption unchanged: adds one statement, which overrides every allowance.
 * Ours: its principal is `*`, with the account as a condition, so that it applies to users, roles and their sessions
 * alike, including those named in other statements.
 * @param scope an account whose principals may no longer encrypt, or everyone
 * @returns `policy` itself when it already denies as much or more
 */
export function denyEncryption(policy: Document, scope: { readonly account: string } | 'everybody'): Document {
  const statements = statementsOf(policy)
  const before = statements.find(({ Sid }) => Sid === DENIAL)
  const denial: Statement = {
    Sid: DENIAL,
    Effect: 'Deny',
    Principal: { AWS: '*' },
    Action: ['kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncryptTo'],
    Resource: '*',
    ...(scope !== 'everybody' && { Condition: { StringEquals: { 'kms:CallerAccount': scope.account } } }),
  }
  const saysEnough = before !== undefined && (before.Condition === undefined || sameJson(before, denial))
  return saysEnough ? policy : { ...policy, Statement: [...statements.filter((one) => one !== before), denial] }
}

const statementsOf = ({ Statement: given }: Document): Statement[] =>
  (Array.isArray(given) ? given : [given]).filter((each): each is Statement => isObject(each))

/** Compares with sorted names, since the cloud may return a policy in another order. */
const sameJson = (one: Statement, other: Statement): boolean => sorted(one) === sorted(other)
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  )
