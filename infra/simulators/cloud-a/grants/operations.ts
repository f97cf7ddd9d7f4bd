import { createHash, randomBytes } from 'node:crypto'
import { isObject } from '../../toolkit/json-body.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import { list, optionalText, text, texts, type Input } from '../../toolkit/aws/input.ts'
import { rootArn } from '../accounts/accounts.ts'
import type { Call, Operations } from '../wire/call.ts'
import { isAllowedByPolicy, keyForRetiring, keyNamed, requireState } from '../keys/found-key.ts'
import {
  GRANT_OPERATIONS,
  grantToken,
  isCaller,
  isNoWider,
  openGrantToken,
  requireFit,
  type Grant,
  type GrantConstraints,
} from './grants.ts'
import { keyArn, type HeldKey } from '../keys/keys.ts'
import { GRANT_PAGES, kmsTail, pageOfItems } from '../wire/pages.ts'
import { isPrincipal } from '../authentication/policy.ts'
import { denied, limitExceeded, notFound, unsupported, validation } from '../wire/refusals.ts'
import { stopDryRun } from '../keys/cryptography.ts'

const NAME = { max: 256, pattern: /^[a-zA-Z0-9:/_-]+$/ }
const PRINCIPAL = { max: 256, pattern: /^[\w+=,.@:/-]+$/ }
const GRANT_ID = { max: 128 }
const TOKEN = { max: 8192 }
const MAX_GRANTS = 50_000
const MAX_PAIRS = 8
const MAX_CONTEXT = 384

export const grantOperations: Operations = {
  CreateGrant: (call, input) => {
    const wanted = readGrant(call, input)
    const key = keyNamed(call, input)
    requireState(key, ['Enabled', 'Unavailable', 'Updating'])
    requireFit(key, wanted)
    requireDelegated(call, key, wanted)
    if (key.grants.size >= MAX_GRANTS) throw limitExceeded(`A key can have at most ${MAX_GRANTS} grants.`)
    stopDryRun(input)
    const grant = sameGrant(key, wanted) ?? addGrant(call, key, wanted)
    const { id: keyId, account, region } = key
    return {
      GrantId: grant.id,
      GrantToken: grantToken(call.state.secret, { account, region, keyId, grantId: grant.id }),
    }
  },
  ListGrants: (call, input) => {
    const id = optionalText(input, 'GrantId', GRANT_ID)
    const grantee = optionalText(input, 'GranteePrincipal', PRINCIPAL)
    const key = keyNamed(call, input)
    const fitting = [...key.grants.values()].filter(
      (grant) => (id === undefined || grant.id === id) && (grantee === undefined || grant.granteePrincipal === grantee),
    )
    return grantPage(
      call,
      input,
      fitting.map((grant) => [key, grant]),
    )
  },
  ListRetirableGrants: (call, input) => {
    requireNoService(input, 'RetiringServicePrincipal')
    const principal = text(input, 'RetiringPrincipal', PRINCIPAL)
    if (!isPrincipal(call, principal)) throw invalidPrincipal(principal)
    if (principal.split(':')[4] !== call.caller.account.id) {
      throw denied(call.caller.arn, 'kms:ListRetirableGrants', principal, 'because it is in another account')
    }
    const fitting = keysWithGrants(call).flatMap((key) =>
      [...key.grants.values()].filter((grant) => grant.retiringPrincipal === principal).map(held(key)),
    )
    return grantPage(call, input, fitting)
  },
  RevokeGrant: (call, input) => {
    const id = text(input, 'GrantId', GRANT_ID)
    const key = keyNamed(call, input)
    removeGrant(call, input, key, grantOf(key, id))
    return {}
  },
  RetireGrant: (call, input) => {
    const [key, grant] = toRetire(call, input)
    const { caller } = call
    const may =
      key.account === caller.account.id ||
      (grant.retiringPrincipal !== undefined && isCaller(caller, grant.retiringPrincipal)) ||
      (grant.operations.includes('RetireGrant') && isCaller(caller, grant.granteePrincipal))
    if (!may) throw denied(caller.arn, 'kms:RetireGrant', keyArn(key), 'because the grant does not allow the action')
    removeGrant(call, input, key, grant)
    return {}
  },
}

const held =
  (key: HeldKey) =>
  (grant: Grant): [HeldKey, Grant] => [key, grant]

type Wanted = Pick<Grant, 'name' | 'granteePrincipal' | 'retiringPrincipal' | 'operations' | 'constraints'>

/** @throws ServiceError ValidationException, InvalidArnException, UnsupportedOperationException */
function readGrant(call: Call, input: Input): Wanted {
  requireNoService(input, 'GranteeServicePrincipal')
  requireNoService(input, 'RetiringServicePrincipal')
  const granteePrincipal = text(input, 'GranteePrincipal', PRINCIPAL)
  const retiringPrincipal = optionalText(input, 'RetiringPrincipal', PRINCIPAL)
  for (const each of [granteePrincipal, retiringPrincipal]) {
    if (each !== undefined && !isPrincipal(call, each)) throw invalidPrincipal(each)
  }
  return {
    name: optionalText(input, 'Name', NAME),
    granteePrincipal,
    retiringPrincipal,
    operations: readOperations(input),
    constraints: readConstraints(input),
  }
}

/** Ours: no service uses keys here, so none can be a principal of a grant. */
function requireNoService(input: Input, member: string): void {
  if (input[member] !== undefined) throw unsupported(`${member} is not supported in this region.`)
}

const invalidPrincipal = (name: string) =>
  new ServiceError('InvalidArnException', `ARN does not refer to a valid principal: ${name}`)

function readOperations(input: Input): readonly string[] {
  const operations = list(input, 'Operations').map(String)
  const unknown = operations.find((each) => !GRANT_OPERATIONS.includes(each))
  if (unknown !== undefined) {
    throw validation(`Value '${unknown}' at 'operations' failed to satisfy enum value set: ${GRANT_OPERATIONS.join()}`)
  }
  if (operations.length === 0) throw validation('A grant allows at least one operation.')
  return [...new Set(operations)].sort()
}

/** @returns `undefined` for absent or empty constraints */
function readConstraints(input: Input): GrantConstraints | undefined {
  const given = input.Constraints ?? {}
  if (!isObject(given)) throw validation('Constraints must be a structure.')
  if (given.SourceArn !== undefined) throw unsupported('SourceArn constraints are not supported in this region.')
  const constraints = (['EncryptionContextSubset', 'EncryptionContextEquals'] as const).flatMap((name) => {
    if (given[name] === undefined) return []
    const pairs = texts(given, name)
    if (Object.keys(pairs).length > MAX_PAIRS) throw validation(`${name} has more than ${MAX_PAIRS} pairs.`)
    const length = Object.entries(pairs).flat().join('').length
    if (length > MAX_CONTEXT) throw validation(`${name} has more than ${MAX_CONTEXT} characters.`)
    return [[name, pairs] as const]
  })
  return constraints.length === 0 ? undefined : Object.fromEntries(constraints)
}

/** A caller that may create grants because of a grant cannot grant more than that one. */
function requireDelegated(call: Call, key: HeldKey, wanted: Wanted): void {
  if (isAllowedByPolicy(call, key, 'CreateGrant')) return
  const covers = (grant: Grant) =>
    grant.operations.includes('CreateGrant') &&
    isCaller(call.caller, grant.granteePrincipal) &&
    isNoWider(wanted, grant)
  if ([...key.grants.values()].some(covers)) return
  throw denied(call.caller.arn, 'kms:CreateGrant', keyArn(key), 'because no grant allows all that the new one would')
}

/** The grant that an earlier request with the same name created, if everything else is the same too. */
function sameGrant(key: HeldKey, wanted: Wanted): Grant | undefined {
  if (wanted.name === undefined) return undefined
  return [...key.grants.values()].find((grant) => printOf(grant) === printOf(wanted))
}

function printOf({ name, granteePrincipal, retiringPrincipal, operations, constraints = {} }: Wanted): string {
  const { EncryptionContextSubset: subset, EncryptionContextEquals: equals } = constraints
  const contexts = [subset, equals].map((each) => each && Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
  return JSON.stringify([name, granteePrincipal, retiringPrincipal, operations, contexts])
}

function addGrant(call: Call, key: HeldKey, wanted: Wanted): Grant {
  const { state, caller } = call
  const grant: Grant = {
    ...wanted,
    id: createHash('sha256').update(randomBytes(32)).digest('hex'),
    issuingAccount: rootArn(caller.account),
    createdAt: state.now(),
    hiddenReads: state.delays().hidden,
  }
  key.grants.set(grant.id, grant)
  state.save([key])
  return grant
}

/** @throws ServiceError InvalidGrantIdException, NotFoundException */
function grantOf(key: HeldKey, id: string): Grant {
  if (!/^[0-9a-f]{64}$/.test(id)) throw new ServiceError('InvalidGrantIdException', `Invalid grant ID ${id}`)
  const grant = key.grants.get(id)
  if (grant === undefined) throw notFound(`Grant ID ${id} not found on ${keyArn(key)}`)
  return grant
}

function removeGrant(call: Call, input: Input, key: HeldKey, { id }: Grant): void {
  stopDryRun(input)
  key.grants.delete(id)
  call.state.save([key])
}

/** The grant that its token, or its key and its id, names. */
function toRetire(call: Call, input: Input): [HeldKey, Grant] {
  const token = optionalText(input, 'GrantToken', TOKEN)
  const id = optionalText(input, 'GrantId', GRANT_ID)
  const byToken = token !== undefined
  if (byToken === (id !== undefined) || byToken === (input.KeyId !== undefined)) {
    throw validation('Specify either the grant token, or the key and the grant ID.')
  }
  if (!byToken) {
    const key = keyForRetiring(call, input)
    return [key, grantOf(key, id ?? '')]
  }
  const { account, region, keyId, grantId } = openGrantToken(call.state.secret, call.caller, token)
  const key = call.state.key(account, region, keyId)
  const grant = key?.grants.get(grantId)
  if (key === undefined || grant === undefined) throw notFound('The grant of the token does not exist.')
  return [key, grant]
}

/** Keys with grants of all accounts, in the caller's region. */
const keysWithGrants = ({ state, accounts, caller: { region } }: Call): HeldKey[] =>
  [...accounts.keys()].flatMap((account) =>
    [...state.shelf(account, region).keys.values()]
      .filter(({ grants }) => grants.size > 0)
      .flatMap(({ id }) => state.key(account, region, id) ?? []),
  )

function grantPage(call: Call, input: Input, found: readonly (readonly [HeldKey, Grant])[]): object {
  const rows = found.map((row) => [row[1].id, row] as const)
  const { items, next } = pageOfItems(call, input, GRANT_PAGES, rows)
  return { Grants: items.map(([key, grant]) => listed(key, grant)), ...kmsTail(next) }
}

/** The answer omits absent members. */
const listed = (key: HeldKey, grant: Grant): object => ({
  KeyId: keyArn(key),
  GrantId: grant.id,
  Name: grant.name,
  CreationDate: grant.createdAt / 1000,
  GranteePrincipal: grant.granteePrincipal,
  RetiringPrincipal: grant.retiringPrincipal,
  IssuingAccount: grant.issuingAccount,
  Operations: grant.operations,
  Constraints: grant.constraints,
})
