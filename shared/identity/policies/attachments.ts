import { notThere, ruleBroken } from '../../base/errors.ts'
import { accountOf, commonFields, resourceUri, ROOT_DOMAIN_ID, USER_ID, uuid } from '../../base/ids.ts'
import { defined, differences } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Stored } from '../../store/entity.ts'
import { domains } from '../domains/store.ts'
import { groups, guests } from '../groups/store.ts'
import { users } from '../users/store.ts'
import {
  ATTACHMENTS_MOST,
  type CreatePolicyAttachment,
  type PolicyAttachment,
  type PolicyAttachmentQuery,
} from './model.ts'
import { findPolicy, relyOnRoomFor } from './policies.ts'
import { forgetStatements } from './statements.ts'
import { policies, policyAttachments, type StoredAttachment, type StoredPolicy } from './store.ts'

type GroupNames = ReadonlyMap<string, string>

const policyUri = (domain: string, id: string): string => resourceUri(domain, 'admin', 'policies', id)

function present(domain: string, item: StoredAttachment, names: GroupNames): PolicyAttachment {
  const { policy_id, principal, group_ids, ...rest } = item
  const held = group_ids?.flatMap((id) => names.get(id) ?? [])
  return {
    ...rest,
    policy: policyUri(domain, policy_id),
    principalSelector: { ...principal, ...(held && { groups: held }) },
  }
}

async function namesOf(domain: string, items: readonly StoredAttachment[]): Promise<GroupNames> {
  const ids = new Set(items.flatMap(({ group_ids }) => group_ids ?? []))
  return new Map((await groups.getMany(domain, [...ids], 'leave out')).map(({ item }) => [item.id, item.name]))
}

async function shown(domain: string, { item, rev }: Stored<StoredAttachment>): Promise<Stored<PolicyAttachment>> {
  return { item: present(domain, item, await namesOf(domain, [item])), rev }
}

/** @throws Refusal NOT_FOUND */
async function findAttachment({ caller }: Context, id: string): Promise<Stored<StoredAttachment>> {
  const stored = await policyAttachments.get(caller.domain.id, id)
  if (stored === undefined) throw notThere('There is no such policy attachment.')
  return stored
}

export const getAttachment = async (context: Context, id: string): Promise<Stored<PolicyAttachment>> =>
  shown(context.caller.domain.id, await findAttachment(context, id))

export async function listAttachments(
  { caller }: Context,
  query: PolicyAttachmentQuery,
): Promise<ResourceList<PolicyAttachment>> {
  const domain = caller.domain.id
  const prefix = policyUri(domain, '')
  const used = query.policy?.map((reference) =>
    reference.startsWith(prefix) ? reference.slice(prefix.length) : reference,
  )
  return listed(policyAttachments, domain, query, {
    served: 'all',
    filters: { id: query.id, policy_id: used },
    presentAll: async (page) => {
      const names = await namesOf(
        domain,
        page.map(({ item }) => item),
      )
      return page.map(({ item }) => present(domain, item, names))
    },
  })
}

/** @throws Refusal NOT_FOUND unless the account belongs to this domain or, from the root domain, to a child domain */
async function assertAccount(domain: string, account: string | undefined, pointer: string): Promise<void> {
  if (account === undefined || account === accountOf(domain)) return
  const child = account.startsWith(accountOf('')) ? account.slice(accountOf('').length) : ''
  const isChild = domain === ROOT_DOMAIN_ID && child !== '' && (await domains.get(ROOT_DOMAIN_ID, child)) !== undefined
  if (!isChild) throw notThere('There is no such account.', { pointer, detail: 'is not there' })
}

/** Requires a user of a domain, or a guest. @throws Refusal NOT_FOUND */
async function assertUser(domain: string, id: string | undefined, pointer: string): Promise<void> {
  if (id === undefined || !USER_ID.test(id)) return
  const [user, guest] = await Promise.all([users.get(domain, id), guests.get(domain, id)])
  if (user === undefined && guest === undefined)
    throw notThere('There is no such user.', { pointer, detail: 'is not there' })
}

/** @throws Refusal NOT_FOUND */
async function groupIdsOf(domain: string, names: readonly string[]): Promise<string[]> {
  const ids = await Promise.all(names.map((name) => groups.holder(domain, 'name', name)))
  return ids.map((id, at) => {
    if (id !== undefined) return id
    throw notThere('There is no such group.', { pointer: `#/principalSelector/groups/${at}`, detail: 'is not there' })
  })
}

/** @throws Refusal NOT_FOUND for anything it names, RULE_BROKEN for an account in which the policy does not apply */
async function assertPlaces(
  domain: string,
  { principalSelector, jurisdiction }: CreatePolicyAttachment,
  { include_descendant_accounts: descends }: StoredPolicy,
): Promise<void> {
  const { acct, sub, user_id } = principalSelector
  await assertAccount(domain, acct, '#/principalSelector/acct')
  await assertAccount(domain, jurisdiction, '#/jurisdiction')
  await assertUser(domain, sub, '#/principalSelector/sub')
  await assertUser(domain, user_id, '#/principalSelector/user_id')
  const isElsewhere = [acct, jurisdiction].some((account) => account !== undefined && account !== accountOf(domain))
  if (isElsewhere && !descends)
    throw ruleBroken('jurisdiction', 'and acct must be of this domain: the policy has no include_descendant_accounts')
}

const auditView = (attachment: StoredAttachment) => {
  const { policy_id, principal, group_ids, jurisdiction } = attachment
  return { policy_id, principal, group_ids, jurisdiction }
}

/** Applies a policy to callers. @throws Refusal NOT_FOUND, RULE_BROKEN, STATE_CONFLICT */
export async function createAttachment(
  context: Context,
  body: CreatePolicyAttachment,
): Promise<Stored<PolicyAttachment>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const policy = await findPolicy(context, body.policy, { pointer: '#/policy', detail: 'is not there' })
  await assertPlaces(domain, body, policy.item)
  await relyOnRoomFor(context, policyAttachments, [ATTACHMENTS_MOST, 'policy attachments'])
  const { groups: names, ...principal } = body.principalSelector
  const id = uuid(now)
  const attachment: StoredAttachment = {
    ...commonFields(domain, id, resourceUri(domain, 'admin', 'policy-attachments', id), now),
    policy_id: policy.item.id,
    principal,
    ...(names && { group_ids: await groupIdsOf(domain, names) }),
    ...defined({ jurisdiction: body.jurisdiction }),
  }
  changes.create(policyAttachments, domain, attachment)
  stageCount(context, policy, 1)
  tell(context, attachment, policy.item.name, { after: differences({}, auditView(attachment), AUDITED).after })
  return shown(domain, { item: attachment, rev: 1 })
}

const AUDITED = ['policy_id', 'principal', 'group_ids', 'jurisdiction'] as const

/** @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteAttachment(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const stored = await findAttachment(context, id)
  assertIfMatch(context, stored)
  const [policy] = await policies.getMany(caller.domain.id, [stored.item.policy_id], 'leave out')
  changes.remove(policyAttachments, caller.domain.id, stored)
  if (policy) stageCount(context, policy, -1)
  const { before } = differences(auditView(stored.item), {}, AUDITED)
  tell(context, stored.item, policy?.item.name ?? '', { before })
}

const stageCount = ({ changes, caller }: Context, policy: Stored<StoredPolicy>, by: 1 | -1): void =>
  changes.update(policies, caller.domain.id, policy, {
    ...policy.item,
    attachments: Math.max(0, policy.item.attachments + by),
  })

function tell(
  { about, afterCommit, caller }: Context,
  attachment: StoredAttachment,
  name: string,
  change: Pick<Parameters<Context['about']>[0], 'before' | 'after'>,
): void {
  about({ uri: attachment.uri, name, ...change, record: attachment })
  afterCommit(() => Promise.resolve(forgetStatements(caller.domain.id)))
}
