import { differences, patched } from '../../../base/fields.ts'
import { nameTaken, notThere, ruleBroken, type Refusal } from '../../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import { Uuid } from '../../../http/common-fields.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { sealFor } from '../../../keyring/domain-key.ts'
import type { Stored } from '../../../store/entity.ts'
import { connectionsToSyslog } from '../connections.ts'
import { assertWebhookUrl } from './addresses.ts'
import { forgetCursors } from './forget.ts'
import type { CreateLogForwarder, LogForwarder, LogForwarderQuery, UpdateLogForwarder } from './model.ts'
import { shownForwarders, shownOne } from './shown.ts'
import { logForwarders, secretPurpose, type StoredLogForwarder } from './store.ts'

const taken = (_kind: string, name: string): Refusal => nameTaken('forwarder', name)
const AUDITED = ['name', 'type', 'enabled', 'connection_id', 'syslog_params', 'webhook_params'] as const

/** @throws Refusal NOT_FOUND */
async function findForwarder({ caller }: Context, nameOrId: string): Promise<Stored<StoredLogForwarder>> {
  const domain = caller.domain.id
  const byId = Uuid.safeParse(nameOrId).success ? await logForwarders.get(domain, nameOrId) : undefined
  const stored = byId ?? (await logForwarders.find(domain, 'name', nameOrId))
  if (stored === undefined) throw notThere('There is no such forwarder.')
  return stored
}

async function sealSecret(domain: string, id: string, secret: string): Promise<string> {
  const clear = Buffer.from(secret)
  try {
    return await sealFor(domain, secretPurpose({ id }), clear)
  } finally {
    clear.fill(0)
  }
}

/** A change as audit records describe it: a changed secret is only mentioned. */
function told(before: Partial<StoredLogForwarder>, after: Partial<StoredLogForwarder>) {
  const changed = differences(before, after, AUDITED)
  return before.sealed === after.sealed ? changed : { ...changed, after: { ...changed.after, secret: 'changed' } }
}

export const listForwarders = ({ caller }: Context, query: LogForwarderQuery): Promise<ResourceList<LogForwarder>> =>
  listed(logForwarders, caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, type: query.type },
    patterns: { name: query.name },
    matches: ({ enabled }) => enabled === query.enabled,
    matchesNarrows: query.enabled !== undefined,
    presentAll: (page) => shownForwarders(caller.domain.id, page),
  })

/** @throws Refusal NOT_FOUND */
export const getForwarder = async (context: Context, nameOrId: string): Promise<Stored<LogForwarder>> =>
  shownOne(shownForwarders, context.caller.domain.id, await findForwarder(context, nameOrId))

/** Sends records made from now on. @throws Refusal NOT_FOUND for a connection, RULE_BROKEN, NAME_TAKEN */
export async function createForwarder(context: Context, body: CreateLogForwarder): Promise<Stored<LogForwarder>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { name, type, enabled, connection_id, webhook_params: webhook, syslog_params: syslog } = body
  const id = uuid(now)
  if (webhook) assertWebhookUrl(webhook.url)
  const item = logForwarders.schema.parse({
    ...commonFields(domain, id, resourceUri(domain, 'configs', 'log-forwarders', id), now),
    ...{ name, type, enabled, since: now.toISOString() },
    ...(connection_id !== undefined && {
      connection_id: await (await connectionsToSyslog()).use(context, connection_id),
      syslog_params: syslog ?? { forward_logs: {} },
    }),
    ...(webhook && {
      webhook_params: { url: webhook.url, forward_logs: webhook.forward_logs },
      sealed: await sealSecret(domain, id, webhook.secret),
    }),
  })
  changes.create(logForwarders, domain, item, taken)
  context.about({ uri: item.uri, name, after: told({}, item).after })
  return shownOne(shownForwarders, domain, { item, rev: 1 })
}

/** @throws Refusal RULE_BROKEN for fields of the other type */
function assertOfType({ type }: StoredLogForwarder, body: UpdateLogForwarder): void {
  const foreign = type === 'syslog' ? (['webhook_params'] as const) : (['connection_id', 'syslog_params'] as const)
  const field = foreign.find((name) => body[name] !== undefined)
  if (field !== undefined) throw ruleBroken(field, `does not go with type ${type}, which is fixed`)
}

/**
 * Changes only the fields that are present. Ours: records made while a forwarder is disabled are not sent later.
 * @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN
 */
export async function updateForwarder(
  context: Context,
  nameOrId: string,
  body: UpdateLogForwarder,
): Promise<Stored<LogForwarder>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findForwarder(context, nameOrId)
  assertIfMatch(context, stored)
  const { item: before, rev } = stored
  assertOfType(before, body)
  const { enabled, connection_id, syslog_params, webhook_params } = body
  if (webhook_params?.url !== undefined) assertWebhookUrl(webhook_params.url)
  const { secret, ...webhook } = webhook_params ?? {}
  const item = patched(before, {
    ...{ enabled, syslog_params, updatedAt: now.toISOString() },
    ...(enabled === true && !before.enabled && { since: now.toISOString() }),
    ...(connection_id !== undefined && {
      connection_id: await (await connectionsToSyslog()).use(context, connection_id),
    }),
    ...(before.webhook_params && { webhook_params: patched(before.webhook_params, webhook) }),
    ...(secret !== undefined && { sealed: await sealSecret(domain, before.id, secret) }),
  })
  changes.update(logForwarders, domain, stored, item)
  context.about({ uri: item.uri, name: item.name, ...told(before, item) })
  return shownOne(shownForwarders, domain, { item, rev: rev + 1 })
}

/** @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteForwarder(context: Context, nameOrId: string): Promise<void> {
  const { caller, changes } = context
  const stored = await findForwarder(context, nameOrId)
  assertIfMatch(context, stored)
  const { id, uri, name } = stored.item
  await forgetCursors(changes, caller.domain.id, id)
  changes.remove(logForwarders, caller.domain.id, stored)
  context.about({ uri, name, before: told(stored.item, {}).before })
}
