import { patched, without } from '../../../base/fields.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { resourceUri } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { sealFor } from '../../../keyring/domain-key.ts'
import { namedOrId } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import { connectionsToSyslog } from '../connections.ts'
import { assertWebhookUrl } from './addresses.ts'
import { forgetCursors } from './forget.ts'
import { CreateLogForwarder, ForwarderPath, LogForwarder, LogForwarderQuery, UpdateLogForwarder } from './model.ts'
import { withProgress } from './progress.ts'
import { logForwarders, secretPurpose, type StoredLogForwarder } from './store.ts'

/** Forwarders by name. A new one receives the records from its creation on. */
export const forwarders = resource({
  entity: logForwarders,
  noun: 'forwarder',
  title: 'Log Forwarder',
  at: '/v1/configs/log-forwarders',
  path: ForwarderPath,
  reads: 'admins',
  changes: 'admins',
  answers: LogForwarder,
  query: LogForwarderQuery,
  createBody: CreateLogForwarder,
  updateBody: UpdateLogForwarder,
  uri: (domain, id) => resourceUri(domain, 'configs', 'log-forwarders', id),
  find: namedOrId(logForwarders),
  audited: ['name', 'type', 'enabled', 'connection_id', 'syslog_params', 'webhook_params'],
  sealed: { field: 'sealed', as: 'secret' },
  presentAll: (page, { caller }) =>
    withProgress(
      caller.domain.id,
      page.map((forwarder) => without(forwarder, 'since', 'sealed')),
    ),
  make: async (context, body, common) => {
    const { name, type, enabled, connection_id, webhook_params: webhook, syslog_params: syslog } = body
    if (webhook) assertWebhookUrl(webhook.url)
    return logForwarders.schema.parse({
      ...common,
      name,
      type,
      enabled,
      since: context.now.toISOString(),
      ...(connection_id !== undefined && {
        connection_id: await (await connectionsToSyslog()).use(context, connection_id),
        syslog_params: syslog ?? { forward_logs: {} },
      }),
      ...(webhook && {
        webhook_params: { url: webhook.url, forward_logs: webhook.forward_logs },
        sealed: await sealSecret(context, common.id, webhook.secret),
      }),
    })
  },
  next: changed,
  release: ({ caller, changes }, { id }) => forgetCursors(changes, caller.domain.id, id),
})

async function sealSecret({ caller }: Context, id: string, secret: string): Promise<string> {
  const clear = Buffer.from(secret)
  try {
    return await sealFor(caller.domain.id, secretPurpose({ id }), clear)
  } finally {
    clear.fill(0)
  }
}

/** @throws Refusal RULE_BROKEN for fields of the other type */
function assertOfType({ type }: StoredLogForwarder, body: UpdateLogForwarder): void {
  const foreign = type === 'syslog' ? (['webhook_params'] as const) : (['connection_id', 'syslog_params'] as const)
  const field = foreign.find((name) => body[name] !== undefined)
  if (field !== undefined) throw ruleBroken(field, `does not go with type ${type}, which is fixed`)
}

/**
 * Only the fields that are present change. Ours: records from the time while a forwarder is disabled are not sent
 * later.
 * @throws Refusal RULE_BROKEN
 */
async function changed(
  context: Context,
  before: StoredLogForwarder,
  body: UpdateLogForwarder,
): Promise<StoredLogForwarder> {
  assertOfType(before, body)
  const { enabled, connection_id, syslog_params, webhook_params } = body
  if (webhook_params?.url !== undefined) assertWebhookUrl(webhook_params.url)
  const { secret, ...webhook } = webhook_params ?? {}
  return patched(before, {
    enabled,
    syslog_params,
    ...(enabled === true && !before.enabled && { since: context.now.toISOString() }),
    ...(connection_id !== undefined && {
      connection_id: await (await connectionsToSyslog()).use(context, connection_id),
    }),
    ...(before.webhook_params && { webhook_params: patched(before.webhook_params, webhook) }),
    ...(secret !== undefined && { sealed: await sealSecret(context, before.id, secret) }),
  })
}
