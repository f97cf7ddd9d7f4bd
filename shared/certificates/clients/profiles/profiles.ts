import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { patched, without } from '../../../base/fields.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { groupIdsNamed, groupNamesOf } from '../../../identity/clients/group-names.ts'
import { clients, clientsWithProfile } from '../../../identity/clients/store.ts'
import { resource } from '../../../resource/resource.ts'
import { assertRootDomain, CLIENT_MANAGEMENT, uriOf } from '../place.ts'
import { registrationTokens, tokensWithProfile } from '../registration-tokens/store.ts'
import { relyOnCa } from '../rely-on-ca.ts'
import { ClientProfile, ClientProfileQuery, CreateClientProfile, UpdateClientProfile } from './model.ts'
import { clientProfiles, type StoredClientProfile } from './store.ts'

async function present(profiles: readonly StoredClientProfile[]): Promise<ClientProfile[]> {
  const names = await groupNamesOf(
    ROOT_DOMAIN_ID,
    profiles.map(({ group_ids }) => group_ids),
  )
  return profiles.map((profile, at) => ({ ...without(profile, 'group_ids'), groups: names[at] ?? [] }))
}

/** @throws Refusal IN_USE while registration tokens or clients use it */
async function assertUnused({ changes }: Context, { id, name }: StoredClientProfile): Promise<void> {
  const tokens = await changes.relyOnCount(registrationTokens, ROOT_DOMAIN_ID, tokensWithProfile(id))
  const registered = await changes.relyOnCount(clients, ROOT_DOMAIN_ID, clientsWithProfile(id))
  if (tokens > 0)
    throw new Refusal('IN_USE', `The client profile ${name} has ${counted(tokens, 'registration token')}.`)
  if (registered > 0) throw new Refusal('IN_USE', `The client profile ${name} has ${counted(registered, 'client')}.`)
}

/** Settings that registered clients share. A change applies to later registrations. */
export const profiles = resource({
  entity: clientProfiles,
  noun: 'client profile',
  title: 'Client Profile',
  at: `${CLIENT_MANAGEMENT}/profiles`,
  reads: 'client-admins',
  changes: 'client-admins',
  answers: ClientProfile,
  query: ClientProfileQuery,
  createBody: CreateClientProfile,
  updateBody: UpdateClientProfile,
  uri: (_domain, id) => uriOf('profile', id),
  domain: ROOT_DOMAIN_ID,
  admit: assertRootDomain,
  presentAll: present,
  audited: ['name', 'ca_id', 'cert_duration', 'csr_parameters', 'group_ids'],
  make: async (context, { groups = [], ...body }, common) => ({
    ...common,
    ...body,
    group_ids: await groupIdsNamed(context, groups),
  }),
  next: async (context, profile, { groups, ...body }) => ({
    ...patched(profile, body),
    group_ids: groups === undefined ? profile.group_ids : await groupIdsNamed(context, groups ?? [], profile.group_ids),
  }),
  check: async (context, profile, before) => {
    if (profile.ca_id !== undefined && profile.ca_id !== before?.ca_id) await relyOnCa(context, profile.ca_id)
    return profile
  },
  release: assertUnused,
})
