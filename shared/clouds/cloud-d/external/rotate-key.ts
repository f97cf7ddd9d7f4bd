import { Refusal } from '../../../base/errors.ts'
import { findKeyFor, tellOfKey } from '../../../cloud/keys/find-key.ts'
import { findHostedSource } from '../../../cloud/keys/hosted-source.ts'
import { type NewVersion } from '../../../cloud/keys/model.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { newVersion } from '../../../vault/keys/lifecycle/new-version.ts'
import { CreateKeyVersion } from '../../../vault/keys/model.ts'
import { beginUse } from '../../../vault/keys/lifecycle/key-users.ts'
import { keyKind } from '../keys/kind.ts'
import type { CloudDVersion } from '../versions/model.ts'
import { assertExternalKey, type ExternalKey } from './external.ts'
import { followsAtOnce } from './follow.ts'
import { externalVersion, keyWith, stageVersion, versionIdOf } from './versions.ts'

/** A new version of the local key, which the external key follows. @throws Refusal ACTION_DENIED, STATE_CONFLICT */
async function withNewMaterial(context: Context, stored: Stored<ExternalKey>) {
  const { caller, now } = context
  const { item: key, rev } = stored
  const { local_key_id: localId = '' } = key
  const local = await newVersion({ ...context, ifMatch: undefined }, localId, CreateKeyVersion.parse({}), 'id')
  if (!(await followsAtOnce(caller.domain.id, local.name, key.id))) return stageVersion(context, stored, local)
  const id = await versionIdOf(context, key.id) // as `followLocalKey` has it
  const version = externalVersion(caller.domain.id, key.id, local, { id, now })
  return { key: { item: keyWith(key, version, now), rev: rev + 1 }, version }
}

/** The latest version of a local key. @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT */
async function withMaterialOf(context: Context, stored: Stored<ExternalKey>, reference: string) {
  const source = await findHostedSource(context, reference, '#/source_key_identifier')
  if (source.item.id === stored.item.local_key_id)
    throw new Refusal('STATE_CONFLICT', 'The key uses this version of the local key already.')
  beginUse(context, source)
  return stageVersion(context, stored, source.item)
}

/**
 * Adds a version to an external key: a new version of its local key (`is_native`), or the latest version of another
 * one. Ciphertexts of earlier versions can still be decrypted. The cloud uses the version after a rotation there.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT
 */
export async function addExternalVersion(
  context: Context,
  keyId: string,
  { source_key_identifier: named }: NewVersion,
): Promise<Stored<CloudDVersion>> {
  const { item: before, rev } = (await findKeyFor(keyKind, context, keyId, 'hyokkeyrotate')).stored
  assertExternalKey(before)
  const stored = { item: before, rev }
  const { key, version } = await (named === undefined
    ? withNewMaterial(context, stored)
    : withMaterialOf(context, stored, named))
  tellOfKey(keyKind, context, key.item, before)
  return { item: keyKind.versions.present(version, key.item), rev: 1 }
}
