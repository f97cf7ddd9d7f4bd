import { CreateAliasCommand, DeleteAliasCommand, UpdateAliasCommand } from '@aws-sdk/client-kms'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { Refusal } from '../../../base/errors.ts'
import { onKms } from './client.ts'
import { codeOf } from './errors.ts'
import { describe } from './reading.ts'
import type { CloudAPlace } from './types.ts'

import { ALIAS_PREFIX } from './wire.ts'

const ALIAS = /^(?!aws\/)[a-zA-Z0-9/_-]{1,250}$/

/** An alias as the cloud spells it. @throws Refusal RULE_BROKEN for an alias that the cloud would refuse or reserves */
function fullAlias(alias: string): string {
  if (ALIAS.test(alias)) return ALIAS_PREFIX + alias
  throw new Refusal('RULE_BROKEN', 'An alias has 1 to 250 of a-z, A-Z, 0-9, /, _ and -, and does not begin with aws/.')
}

const taken = (alias: string, { region }: CloudAPlace): Refusal =>
  new Refusal('CLOUD_CONFLICT', `The alias ${alias} belongs to another key in ${region}.`)

export async function holderOf(place: CloudAPlace, alias: string): Promise<string | undefined> {
  return (await ifThere(describe(place, fullAlias(alias))))?.KeyId
}

/** @throws Refusal CLOUD_CONFLICT */
export async function assertAliasFree(place: CloudAPlace, alias: string): Promise<void> {
  if ((await holderOf(place, alias)) !== undefined) throw taken(alias, place)
}

export async function addAlias(place: CloudAPlace, ref: string, alias: string): Promise<void> {
  const command = new CreateAliasCommand({ AliasName: fullAlias(alias), TargetKeyId: ref })
  try {
    await onKms(place, (kms, options) => kms.send(command, options))
  } catch (error) {
    if (codeOf(error) !== 'AlreadyExistsException') throw error
    if ((await holderOf(place, alias)) !== ref) throw taken(alias, place)
  }
}

export async function moveAlias(place: CloudAPlace, ref: string, alias: string): Promise<void> {
  const command = new UpdateAliasCommand({ AliasName: fullAlias(alias), TargetKeyId: ref })
  const moved = await ifThere(onKms(place, (kms, options) => kms.send(command, options)))
  if (moved === undefined) await addAlias(place, ref, alias) // either the alias or the key is missing
}

/** Ours: an alias that now belongs to another key is not deleted. */
export async function deleteAlias(place: CloudAPlace, ref: string, alias: string): Promise<void> {
  if ((await holderOf(place, alias)) !== ref) return
  const command = new DeleteAliasCommand({ AliasName: fullAlias(alias) })
  await ifThere(onKms(place, (kms, options) => kms.send(command, options)))
}
