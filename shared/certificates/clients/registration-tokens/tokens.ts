import { notThere } from '../../../base/errors.ts'
import { defined, patched, without } from '../../../base/fields.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { hasGroup, type Context } from '../../../http/context.ts'
import { labelsTest } from '../../../http/lists/selectors.ts'
import { assertMayGive, groupNamesOf } from '../../../identity/clients/group-names.ts'
import { ADMIN_GROUP, isSystemGroup } from '../../../identity/groups/model.ts'
import type { Reader } from '../../../resource/kind.ts'
import { newCommonFields, stageNew } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertRootDomain, CLIENT_MANAGEMENT, uriOf } from '../place.ts'
import { clientProfiles } from '../profiles/store.ts'
import { relyOnCa } from '../rely-on-ca.ts'
import { endOf } from './lifetime.ts'
import {
  RegistrationToken,
  RegistrationTokenQuery,
  UpdateRegistrationToken,
  type CreateRegistrationToken,
} from './model.ts'
import { newToken, openedToken, sealedToken, tokenHash } from './secret.ts'
import { registrationTokens, type StoredRegistrationToken } from './store.ts'
import { beginUses, forgetUses, readUses } from './uses.ts'

const MASKED = '*'.repeat(8)

function present(stored: StoredRegistrationToken, uses: number, token = MASKED): RegistrationToken {
  const end = endOf(stored)
  return {
    ...without(stored, 'name', 'token_hash', 'sealed', 'by_admin'),
    token,
    ...defined({ expires_at: end }),
    clients_registered: uses,
  }
}

/** Tokens in lists, masked. */
async function presentMasked(tokens: readonly StoredRegistrationToken[]): Promise<RegistrationToken[]> {
  const used = await readUses(
    ROOT_DOMAIN_ID,
    tokens.map(({ id }) => id),
  )
  return tokens.map((token, at) => present(token, used[at]?.uses ?? 0))
}

/** Names of the groups that a token's clients join through its profile. */
async function groupsGivenBy(domain: string, profileId: string | undefined): Promise<string[]> {
  const profile = profileId === undefined ? undefined : await clientProfiles.get(domain, profileId)
  const [names = []] = await groupNamesOf(domain, [profile?.item.group_ids ?? []])
  return names
}

/** Requires that the profile in a body exists until the request commits. @throws Refusal NOT_FOUND, ACTION_DENIED */
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

/**
 * A registration token with its secret. Ours: masked for callers who may not grant the groups of its profile, since
 * they could use it to create a member of these groups. So is one that a member of admin made for a profile, which stays
 * good when the profile gets a system group later.
 */
async function presentOpened(token: StoredRegistrationToken, { caller }: Reader): Promise<RegistrationToken> {
  const given = await groupsGivenBy(ROOT_DOMAIN_ID, token.client_management_profile_id)
  const mayGive =
    given.some(isSystemGroup) || (token.by_admin === true && token.client_management_profile_id !== undefined)
  const isMasked = mayGive && !hasGroup(caller, ADMIN_GROUP)
  const secret = isMasked ? MASKED : await openedToken(ROOT_DOMAIN_ID, token.id, token.sealed)
  const [used] = await readUses(ROOT_DOMAIN_ID, [token.id])
  return present(token, used?.uses ?? 0, secret)
}

/** Tokens that authorise registrations. */
export const tokens = resource({
  entity: registrationTokens,
  noun: 'registration token',
  title: 'Registration Token',
  at: `${CLIENT_MANAGEMENT}/regtokens`,
  reads: 'client-admins',
  changes: 'client-admins',
  answers: RegistrationToken,
  query: RegistrationTokenQuery,
  updateBody: UpdateRegistrationToken,
  uri: (_domain, id) => uriOf('registration-token', id),
  domain: ROOT_DOMAIN_ID,
  admit: assertRootDomain,
  presentAll: presentMasked,
  presentAlone: presentOpened,
  audited: [
    'client_management_profile_id',
    'ca_id',
    'cert_duration',
    'lifetime',
    'max_clients',
    'name_prefix',
    'label',
    'labels',
  ],
  narrow: (_context, { labels }) => ({
    answered: ['labels'],
    tests: [labels === undefined ? undefined : labelsTest(labels, 'labels')],
  }),
  // Ours: a change of a token's lifetime or maximum uses grants the groups of its profile, as its creation does.
  next: async ({ caller }, token, { labels, ...body }) => {
    assertMayGive(caller, await groupsGivenBy(ROOT_DOMAIN_ID, token.client_management_profile_id))
    return { ...patched(token, body), ...(labels !== undefined && { labels: labels ?? {} }) }
  },
  // Clients that were registered with it are kept.
  release: ({ changes }, { id }) => forgetUses(changes, ROOT_DOMAIN_ID, id),
})

/** @throws Refusal NOT_FOUND for the profile or the authority; ACTION_DENIED for a profile with system groups */
export async function createToken(
  context: Context,
  { labels = {}, ...body }: CreateRegistrationToken,
): Promise<Stored<RegistrationToken>> {
  assertRootDomain(context)
  const common = newCommonFields(tokens, context)
  const token = newToken()
  if (body.client_management_profile_id !== undefined) await relyOnProfile(context, body.client_management_profile_id)
  if (body.ca_id !== undefined) await relyOnCa(context, body.ca_id)
  beginUses(context.changes, ROOT_DOMAIN_ID, common.id)
  const { item, rev } = await stageNew(tokens, context, {
    ...common,
    ...body,
    labels,
    name: `regtoken-${common.id}`,
    token_hash: tokenHash(token),
    sealed: await sealedToken(ROOT_DOMAIN_ID, common.id, token),
    by_admin: hasGroup(context.caller, ADMIN_GROUP),
  })
  return { item: { ...item, token }, rev }
}
