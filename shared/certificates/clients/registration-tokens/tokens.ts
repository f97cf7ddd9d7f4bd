import { notThere } from '../../../base/errors.ts'
import { patched, picked, without } from '../../../base/fields.ts'
import { commonFields, uuid } from '../../../base/ids.ts'
import { hasGroup, type Context } from '../../../http/context.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { labelsTest } from '../../../http/selectors.ts'
import { assertMayGive, groupNamesOf } from '../../../identity/clients/group-names.ts'
import { ADMIN_GROUP, isSystemGroup } from '../../../identity/groups/model.ts'
import type { ManagedKind } from '../../../resource/kinds.ts'
import { changeRecord, findRecord, removeRecord, stageNew } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { uriOf } from '../place.ts'
import { clientProfiles } from '../profiles/store.ts'
import { relyOnCa } from '../rely-on-ca.ts'
import { endOf } from './lifetime.ts'
import type {
  CreateRegistrationToken,
  RegistrationToken,
  RegistrationTokenQuery,
  UpdateRegistrationToken,
} from './model.ts'
import { newToken, openedToken, sealedToken, tokenHash } from './secret.ts'
import { registrationTokens, type StoredRegistrationToken } from './store.ts'
import { beginUses, forgetUses, readUses } from './uses.ts'

type Row = ReturnType<typeof registrationTokens.row>

const tokenKind: ManagedKind<StoredRegistrationToken, Row, StoredRegistrationToken> = {
  noun: 'registration token',
  entity: registrationTokens,
  pointers: {},
  present: (stored) => stored,
  audited: (token) =>
    picked(
      token,
      'client_management_profile_id',
      'ca_id',
      'cert_duration',
      'lifetime',
      'max_clients',
      'name_prefix',
      'label',
      'labels',
    ),
}

const MASKED = '*'.repeat(8)

function present(stored: StoredRegistrationToken, uses: number, token = MASKED): RegistrationToken {
  const end = endOf(stored)
  return {
    ...without(stored, 'name', 'token_hash', 'sealed'),
    token,
    ...(end !== undefined && { expires_at: end }),
    clients_registered: uses,
  }
}

const shown = async ({ caller }: Context, { item, rev }: Stored<StoredRegistrationToken>, token?: string) => {
  const [used] = await readUses(caller.domain.id, [item.id])
  return { item: present(item, used?.uses ?? 0, token), rev }
}

/** Names of the groups that a token's clients get by its profile. */
async function groupsGivenBy(domain: string, profileId: string | undefined): Promise<string[]> {
  const profile = profileId === undefined ? undefined : await clientProfiles.get(domain, profileId)
  const [names = []] = await groupNamesOf(domain, [profile?.item.group_ids ?? []])
  return names
}

/** Requires that the profile of a body is there until the request commits. @throws Refusal NOT_FOUND, ACTION_DENIED */
async function relyOnProfile({ caller, changes }: Context, profileId: string): Promise<void> {
  const domain = caller.domain.id
  const stored = await clientProfiles.get(domain, profileId)
  if (stored === undefined)
    throw notThere('There is no such client profile.', {
      pointer: '#/client_management_profile_id',
      detail: 'is no client profile of this domain',
    })
  assertMayGive(caller, await groupsGivenBy(domain, profileId))
  changes.rely(clientProfiles, domain, stored)
}

export const listTokens = (
  { caller }: Context,
  query: RegistrationTokenQuery,
): Promise<ResourceList<RegistrationToken>> => {
  const { id, label, client_management_profile_id, labels } = query
  const hasLabels = labels === undefined ? undefined : labelsTest(labels, 'labels')
  return listed(registrationTokens, caller.domain.id, query, {
    served: 'all',
    filters: { id, label, client_management_profile_id },
    matches: (row) => hasLabels?.(row) !== false,
    matchesNarrows: hasLabels !== undefined,
    presentAll: async (page) => {
      const used = await readUses(
        caller.domain.id,
        page.map(({ item }) => item.id),
      )
      return page.map(({ item }, at) => present(item, used[at]?.uses ?? 0))
    },
  })
}

/**
 * A registration token with its secret. Ours: masked for callers who may not give the groups of its profile, who could make
 * a member of them with it.
 * @throws Refusal NOT_FOUND
 */
export async function getToken(context: Context, id: string): Promise<Stored<RegistrationToken>> {
  const domain = context.caller.domain.id
  const stored = await findRecord(tokenKind, context, id)
  const given = await groupsGivenBy(domain, stored.item.client_management_profile_id)
  if (given.some(isSystemGroup) && !hasGroup(context.caller, ADMIN_GROUP)) return shown(context, stored)
  return shown(context, stored, await openedToken(domain, id, stored.item.sealed))
}

/** @throws Refusal NOT_FOUND for the profile or the authority; ACTION_DENIED for a profile with system groups */
export async function createToken(
  context: Context,
  { labels = {}, ...body }: CreateRegistrationToken,
): Promise<Stored<RegistrationToken>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const id = uuid(now)
  const token = newToken()
  if (body.client_management_profile_id !== undefined) await relyOnProfile(context, body.client_management_profile_id)
  if (body.ca_id !== undefined) await relyOnCa(context, body.ca_id)
  beginUses(changes, domain, id)
  const { item, rev } = stageNew(tokenKind, context, {
    ...commonFields(domain, id, uriOf('registration-token', id), now),
    ...body,
    labels,
    name: `regtoken-${id}`,
    token_hash: tokenHash(token),
    sealed: await sealedToken(domain, id, token),
  })
  return { item: present(item, 0, token), rev }
}

/**
 * Changes how long and how often a token registers. Ours: that gives the groups of its profile, as making one does.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED for a profile with system groups
 */
export const updateToken = async (
  context: Context,
  id: string,
  { labels, ...body }: UpdateRegistrationToken,
): Promise<Stored<RegistrationToken>> =>
  shown(
    context,
    await changeRecord(tokenKind, context, id, async (token) => {
      const { caller } = context
      assertMayGive(caller, await groupsGivenBy(caller.domain.id, token.client_management_profile_id))
      return { ...patched(token, body), ...(labels !== undefined && { labels: labels ?? {} }) }
    }),
  )

/** Clients that were registered with it stay. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteToken(context: Context, id: string): Promise<void> {
  await removeRecord(tokenKind, context, id)
  forgetUses(context.changes, context.caller.domain.id, id)
}
