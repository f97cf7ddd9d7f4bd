import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call, Operations } from '../wire/call.ts'
import { keyNamed, look, NOT_LEAVING, requireRights, requireState } from './found-key.ts'
import { text, type Input } from '../../toolkit/aws/input.ts'
import type { HeldAlias } from '../state/journal.ts'
import { specRow } from './key-specs.ts'
import type { HeldKey } from './keys.ts'
import { inOrder } from '../../toolkit/pages.ts'
import { ALIAS_PAGES, kmsTail, pageOf } from '../wire/pages.ts'
import { limitExceeded, notFound, validation } from '../wire/refusals.ts'
import { arnOf } from '../accounts/regions.ts'

const NAME_FORM = /^alias\/[a-zA-Z0-9/_-]+$/
const RESERVED = /^alias\/aws\//
const MAX_ALIASES = 50

export const aliasOperations: Operations = {
  CreateAlias: (call, input) => {
    const name = nameOf(input)
    const { account, region } = call.caller
    if (call.state.alias(account.id, region, name) !== undefined) {
      const arn = arnOf('kms', region, account.id, name)
      throw new ServiceError('AlreadyExistsException', `An alias with the name ${arn} already exists`)
    }
    const key = target(call, input)
    if (key.aliases.size >= MAX_ALIASES) throw limitExceeded(`A key can have at most ${MAX_ALIASES} aliases.`)
    const now = call.state.now()
    const alias = { name, account: account.id, region, target: key.id, createdAt: now, updatedAt: now }
    call.state.save([], [alias])
    return {}
  },
  UpdateAlias: (call, input) => {
    const name = nameOf(input)
    const alias = existing(call, name)
    const key = target(call, input)
    const before = look(call, alias.target)
    requireRights(call, before, 'UpdateAlias')
    if (kindOf(before) !== kindOf(key)) {
      throw validation(`Alias ${name} can only be moved to a key of the same type and usage.`)
    }
    call.state.save([], [{ ...alias, target: key.id, updatedAt: call.state.now() }])
    return {}
  },
  DeleteAlias: (call, input) => {
    const alias = existing(call, nameOf(input))
    requireRights(call, look(call, alias.target), 'DeleteAlias')
    call.state.removeAlias(alias)
    return {}
  },
  ListAliases: (call, input) => {
    const { state, caller } = call
    const { aliasNames } = state.shelf(caller.account.id, caller.region)
    const after = input.KeyId === undefined ? aliasNames : inOrder([...keyNamed(call, input).aliases])
    const { names, next } = pageOf(call, input, ALIAS_PAGES, after)
    const shown = names.flatMap((name) => state.alias(caller.account.id, caller.region, name) ?? [])
    return { Aliases: shown.map(listed), ...kmsTail(next) }
  },
}

/** @throws ServiceError InvalidAliasNameException, NotAuthorizedException for names that the cloud reserves */
function nameOf(input: Input): string {
  const name = text(input, 'AliasName', { max: 256 })
  if (!NAME_FORM.test(name)) {
    throw new ServiceError(
      'InvalidAliasNameException',
      'An alias begins with alias/ and has letters, digits, /, _ and -.',
    )
  }
  if (RESERVED.test(name)) {
    throw new ServiceError('NotAuthorizedException', `Alias names that begin with alias/aws/ are reserved: ${name}`)
  }
  return name
}

function existing({ state, caller }: Call, name: string): HeldAlias {
  const alias = state.alias(caller.account.id, caller.region, name)
  if (alias !== undefined) return alias
  throw notFound(`Alias ${arnOf('kms', caller.region, caller.account.id, name)} is not found.`)
}

function target(call: Call, input: Input): HeldKey {
  const given = text(input, 'TargetKeyId', { max: 2048 })
  if (/(^|:)alias\//.test(given)) throw validation('Aliases must refer to keys. Not aliases')
  const key = keyNamed(call, input, { field: 'TargetKeyId' })
  requireState(key, NOT_LEAVING)
  return key
}

/**
 * Symmetric, asymmetric or HMAC, and the usage: an alias can only move between keys of one kind, which protects code
 * that uses it.
 */
function kindOf(key: HeldKey): string {
  const { family } = specRow(key.spec)
  return `${family === 'rsa' || family === 'ec' ? 'asymmetric' : family} ${key.usage}`
}

const listed = ({ name, account, region, target: TargetKeyId, createdAt, updatedAt }: HeldAlias) => ({
  AliasName: name,
  AliasArn: arnOf('kms', region, account, name),
  TargetKeyId,
  CreationDate: createdAt / 1000,
  LastUpdatedDate: updatedAt / 1000,
})
