import { asFound, type Context } from '../../http/context.ts'
import { counted } from '../../base/counted.ts'
import { nameTaken, Refusal, ruleBroken } from '../../base/errors.ts'
import { defined, differences, patched, without } from '../../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listed, listedWhole, type ResourceList } from '../../resource/listed.ts'
import { presentedBy } from '../../resource/sorted.ts'
import { ifIntact } from '../../store/salvage.ts'
import { labelsTest } from '../../http/lists/selectors.ts'
import { openFor, sealFor } from '../../keyring/domain-key.ts'
import type { Stored } from '../../store/entity.ts'
import { assertMayChange, assertMayUse, isKeyAdmin, mayRead } from '../keys/policies/access.ts'
import { ownedMeta } from '../keys/lifecycle/new-fields.ts'
import { withGroupIds } from '../keys/policies/permission-groups.ts'
import { findLatest, findSecret, versionsOf } from './find-secret.ts'
import {
  faultOf,
  SPELLINGS,
  type CreateSecret,
  type CreateSecretVersion,
  type DeleteSecretQuery,
  type Secret,
  type SecretQuery,
  type SecretVersionQuery,
  type SecretWithMaterial,
  type UpdateSecret,
} from './model.ts'
import { sealPurpose, secrets, type StoredSecret } from './store.ts'

/** Ours: the versions that one transaction can delete. More are deleted one by one first. */
const VERSIONS_AT_ONCE = 12

const shown = ({ item, rev }: Stored<StoredSecret>): Stored<Secret> => ({ item: present(item), rev })
const present = (secret: StoredSecret): Secret => without(secret, 'latest', 'sealed')

const tell = ({ about }: Context, secret: StoredSecret, before: Partial<Secret>, after: Partial<Secret>): void =>
  about({
    uri: secret.uri,
    name: secret.name,
    ...differences(before, after, ['name', 'version', 'dataType', 'state', 'neverExported', 'description', 'labels']),
    ...asFound(before),
  })

/** A version with its material sealed. */
async function sealed(
  { caller }: Context,
  secret: Omit<StoredSecret, 'sealed'>,
  material: string,
): Promise<StoredSecret> {
  const clear = Buffer.from(material, SPELLINGS[secret.dataType].encoding)
  try {
    return { ...secret, sealed: await sealFor(caller.domain.id, sealPurpose(secret), clear) }
  } finally {
    clear.fill(0)
  }
}

const commonOf = ({ caller, now }: Context) => {
  const id = uuid(now)
  return commonFields(caller.domain.id, id, resourceUri(caller.domain.id, 'vault', 'secrets', id), now)
}

/** @throws Refusal NAME_TAKEN, RULE_BROKEN, ACTION_DENIED for another owner */
export async function createSecret(context: Context, { material, ...body }: CreateSecret): Promise<Stored<Secret>> {
  const meta = ownedMeta(context, await withGroupIds(context, body.meta), false)
  const secret = await sealed(
    context,
    {
      ...commonOf(context),
      name: body.name,
      version: 0,
      dataType: body.dataType,
      state: 'Active',
      neverExported: true,
      labels: body.labels ?? {},
      ...defined({ description: body.description }),
      ...(meta && { meta }),
      latest: true,
    },
    material,
  )
  context.changes.create(secrets, context.caller.domain.id, secret, (_kind, name) => nameTaken('secret', name))
  tell(context, secret, {}, secret)
  return shown({ item: secret, rev: 1 })
}

/** @throws Refusal NOT_FOUND */
export const getSecret = async (context: Context, reference: string): Promise<Stored<Secret>> =>
  shown(await findSecret(context, reference))

/** The latest versions of the secrets that the caller may see. */
export function listSecrets({ caller }: Context, query: SecretQuery): Promise<ResourceList<Secret>> {
  const hasLabels = query.labels === undefined ? undefined : labelsTest(query.labels, 'labels')
  const seesAll = isKeyAdmin(caller)
  return listed(secrets, caller.domain.id, query, {
    served: 'latest',
    filters: { id: query.id, dataType: query.dataType, state: query.state },
    patterns: { name: query.name },
    matches: (row) => (seesAll || mayRead(caller, row)) && hasLabels?.(row) !== false,
    matchesNarrows: !seesAll || hasLabels !== undefined,
    present: ({ item }) => present(item),
  })
}

/** The versions of a secret, oldest first. @throws Refusal NOT_FOUND */
export async function listSecretVersions(
  context: Context,
  reference: string,
  query: SecretVersionQuery,
): Promise<ResourceList<Secret>> {
  const { item: named } = await findSecret(context, reference)
  const domain = context.caller.domain.id
  const versions = await secrets.getMany(domain, await secrets.members(domain, named.name), 'salvage')
  const seen = versions.filter(({ item, damage }) => ifIntact(damage, () => mayRead(context.caller, item), false))
  return listedWhole(
    await presentedBy({ present: ({ item }: Stored<StoredSecret>) => present(item) })(seen),
    query,
    ({ createdAt }) => createdAt,
  )
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE */
export async function updateSecret(context: Context, reference: string, given: UpdateSecret): Promise<Stored<Secret>> {
  const { caller, changes, now } = context
  const stored = await findSecret(context, reference)
  assertMayChange(caller, stored.item)
  assertIfMatch(context, stored)
  const body = { ...given, meta: await withGroupIds(context, given.meta, stored.item.meta) }
  const owner = stored.item.meta?.ownerId
  const meta = body.meta && { ...defined({ ownerId: owner }), ...body.meta }
  if (meta && meta.ownerId !== owner && !isKeyAdmin(caller))
    throw new Refusal('ACTION_DENIED', 'Only a member of Key Admins gives a secret to another owner.', {
      errors: [{ pointer: '#/meta/ownerId', detail: 'must be yourself' }],
    })
  const cleared = body.meta === null && owner !== undefined ? { ownerId: owner } : meta
  const after: StoredSecret = {
    ...patched(stored.item, { ...body, meta: cleared }),
    updatedAt: now.toISOString(),
  }
  changes.update(secrets, caller.domain.id, stored, after)
  tell(context, after, stored.item, after)
  return shown({ item: after, rev: stored.rev + 1 })
}

/**
 * A new version succeeds the latest one, which keeps its material. Name, kind and particulars stay.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT when destroyed
 */
export async function newSecretVersion(
  context: Context,
  reference: string,
  { material }: CreateSecretVersion,
): Promise<Stored<Secret>> {
  const { caller, changes, now } = context
  const former = await findLatest(context, reference)
  assertMayChange(caller, former.item)
  assertIfMatch(context, former)
  const { state, dataType, version } = former.item
  if (state !== 'Active') throw new Refusal('STATE_CONFLICT', 'A secret that is destroyed gets no new version.')
  const fault = faultOf(material, dataType)
  if (fault !== undefined) throw ruleBroken('material', fault)
  const { sealed: _, ...carried } = former.item
  const next = await sealed(
    context,
    { ...carried, ...commonOf(context), version: version + 1, neverExported: true },
    material,
  )
  changes.update(secrets, caller.domain.id, former, {
    ...former.item,
    latest: false,
    updatedAt: now.toISOString(),
  })
  changes.create(secrets, caller.domain.id, next)
  tell(context, next, former.item, next)
  return shown({ item: next, rev: 1 })
}

/** A version with its material. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when destroyed */
export async function exportSecret(context: Context, reference: string): Promise<SecretWithMaterial> {
  const { caller, changes } = context
  const stored = await findSecret(context, reference)
  const { item } = stored
  context.about({ uri: item.uri, name: item.name, record: item })
  assertMayUse(context, item, 'ExportKey')
  if (item.sealed === undefined) throw new Refusal('STATE_CONFLICT', 'A secret that is destroyed has no material.')
  const clear = await openFor(caller.domain.id, sealPurpose(item), item.sealed)
  try {
    const after: StoredSecret = { ...item, neverExported: false }
    if (item.neverExported) changes.update(secrets, caller.domain.id, stored, after)
    tell(context, after, item, after)
    return { ...present(after), material: clear.toString(SPELLINGS[item.dataType].encoding) }
  } finally {
    clear.fill(0)
  }
}

/**
 * Wipes the material of one version permanently; the record stays. @throws Refusal NOT_FOUND, ACTION_DENIED,
 * STATE_CONFLICT
 */
export async function destroySecret(context: Context, reference: string): Promise<Stored<Secret>> {
  const { caller, changes, now } = context
  const stored = await findSecret(context, reference)
  assertMayChange(caller, stored.item)
  assertIfMatch(context, stored)
  if (stored.item.state === 'Destroyed') throw new Refusal('STATE_CONFLICT', 'The secret is destroyed already.')
  const { sealed: _, ...rest } = stored.item
  const at = now.toISOString()
  const after: StoredSecret = { ...rest, state: 'Destroyed', destroyDate: at, updatedAt: at }
  changes.update(secrets, caller.domain.id, stored, after)
  tell(context, after, stored.item, after)
  return shown({ item: after, rev: stored.rev + 1 })
}

/**
 * Deletes a secret with all its versions, or one former version.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for the latest version alone, or too many
 */
export async function deleteSecret(context: Context, reference: string, { version }: DeleteSecretQuery): Promise<void> {
  const { caller, changes } = context
  const domain = caller.domain.id
  const named = await findSecret(context, reference)
  assertMayChange(caller, named.item)
  assertIfMatch(context, named)
  const versions = await versionsOf(domain, named)
  const going = version === undefined ? versions : versions.filter(({ item }) => item.version === version)
  const [only] = going
  if (only === undefined) throw new Refusal('NOT_FOUND', 'There is no such version.')
  if (version !== undefined && only.item.latest)
    throw new Refusal('STATE_CONFLICT', 'The latest version can only be deleted with the whole secret.')
  if (going.length > VERSIONS_AT_ONCE)
    throw new Refusal(
      'STATE_CONFLICT',
      `The secret has ${counted(going.length, 'version')}; delete former ones with the parameter version until ${VERSIONS_AT_ONCE} are left.`,
    )
  for (const stored of going) {
    assertMayChange(caller, stored.item)
    changes.remove(secrets, domain, stored)
  }
  const subject = version === undefined ? named.item : only.item
  tell(context, subject, subject, {})
}
