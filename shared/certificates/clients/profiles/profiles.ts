import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { patched, picked, without } from '../../../base/fields.ts'
import { commonFields, uuid } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { groupIdsNamed, groupNamesOf } from '../../../identity/clients/group-names.ts'
import { clients, clientsWithProfile } from '../../../identity/clients/store.ts'
import type { ManagedKind } from '../../../resource/kinds.ts'
import { changeRecord, findRecord, removeRecord, stageNew } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { countOf } from '../../../store/list.ts'
import { uriOf } from '../place.ts'
import { registrationTokens, tokensWithProfile } from '../registration-tokens/store.ts'
import { relyOnCa } from '../rely-on-ca.ts'
import type { ClientProfile, ClientProfileQuery, CreateClientProfile, UpdateClientProfile } from './model.ts'
import { clientProfiles, type StoredClientProfile } from './store.ts'

type Row = ReturnType<typeof clientProfiles.row>

export const profileKind: ManagedKind<StoredClientProfile, Row, StoredClientProfile> = {
  noun: 'client profile',
  entity: clientProfiles,
  pointers: {},
  present: (stored) => stored,
  audited: (profile) => picked(profile, 'name', 'ca_id', 'cert_duration', 'csr_parameters', 'group_ids'),
}

async function present(domain: string, profiles: readonly StoredClientProfile[]): Promise<ClientProfile[]> {
  const names = await groupNamesOf(
    domain,
    profiles.map(({ group_ids }) => group_ids),
  )
  return profiles.map((profile, at) => ({ ...without(profile, 'group_ids'), groups: names[at] ?? [] }))
}

async function shown({ caller }: Context, { item, rev }: Stored<StoredClientProfile>): Promise<Stored<ClientProfile>> {
  const [profile] = await present(caller.domain.id, [item])
  return { item: profile ?? { ...item, groups: [] }, rev }
}

export const listProfiles = (context: Context, query: ClientProfileQuery): Promise<ResourceList<ClientProfile>> => {
  const domain = context.caller.domain.id
  return listed(clientProfiles, domain, query, {
    served: 'all',
    filters: { id: query.id, ca_id: query.ca_id },
    patterns: { name: query.name },
    presentAll: (page) =>
      present(
        domain,
        page.map(({ item }) => item),
      ),
  })
}

/** @throws Refusal NOT_FOUND */
export const getProfile = async (context: Context, id: string): Promise<Stored<ClientProfile>> =>
  shown(context, await findRecord(profileKind, context, id))

/** @throws Refusal NAME_TAKEN; NOT_FOUND for the authority or a group; ACTION_DENIED for a system group */
export async function createProfile(
  context: Context,
  { groups = [], ...body }: CreateClientProfile,
): Promise<Stored<ClientProfile>> {
  const { caller, now } = context
  const id = uuid(now)
  const group_ids = await groupIdsNamed(context, groups)
  if (body.ca_id !== undefined) await relyOnCa(context, body.ca_id)
  const common = commonFields(caller.domain.id, id, uriOf('profile', id), now)
  return shown(context, stageNew(profileKind, context, { ...common, ...body, group_ids }))
}

/**
 * Changes what later registrations get; clients that are there stay as they are.
 * @throws Refusal NOT_FOUND also for the authority or a group, VERSION_STALE, NAME_TAKEN, ACTION_DENIED for a system group
 */
export const updateProfile = async (
  context: Context,
  id: string,
  { groups, ...body }: UpdateClientProfile,
): Promise<Stored<ClientProfile>> =>
  shown(
    context,
    await changeRecord(profileKind, context, id, async (profile) => {
      if (typeof body.ca_id === 'string' && body.ca_id !== profile.ca_id) await relyOnCa(context, body.ca_id)
      const group_ids =
        groups === undefined ? profile.group_ids : await groupIdsNamed(context, groups ?? [], profile.group_ids)
      return { ...patched(profile, body), group_ids }
    }),
  )

/** @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while registration tokens or clients have it */
export async function deleteProfile(context: Context, id: string): Promise<void> {
  const domain = context.caller.domain.id
  await removeRecord(profileKind, context, id, async ({ name }) => {
    const [tokens, registered] = await Promise.all([
      countOf(registrationTokens, domain, tokensWithProfile(id)),
      countOf(clients, domain, clientsWithProfile(id)),
    ])
    if (tokens > 0)
      throw new Refusal('IN_USE', `The client profile ${name} has ${counted(tokens, 'registration token')}.`)
    if (registered > 0) throw new Refusal('IN_USE', `The client profile ${name} has ${counted(registered, 'client')}.`)
  })
}
