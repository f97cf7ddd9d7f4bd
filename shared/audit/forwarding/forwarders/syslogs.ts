import { differences, patched } from '../../../base/fields.ts'
import { notThere } from '../../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { assertRules } from '../../../http/parse.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertHost } from './addresses.ts'
import { forgetCursors } from './forget.ts'
import {
  SYSLOG_RULES,
  type CreatePlainSyslog,
  type PlainSyslog,
  type PlainSyslogQuery,
  type UpdatePlainSyslog,
} from './model.ts'
import { shownOne, shownSyslogs } from './shown.ts'
import { plainSyslogs, type StoredPlainSyslog } from './store.ts'

const AUDITED = ['host', 'port', 'transport', 'ca_cert', 'message_format'] as const

/** @throws Refusal NOT_FOUND */
async function findSyslog({ caller }: Context, id: string): Promise<Stored<StoredPlainSyslog>> {
  const stored = await plainSyslogs.get(caller.domain.id, id)
  if (stored === undefined) throw notThere('There is no such syslog server.')
  return stored
}

export const listSyslogs = ({ caller }: Context, query: PlainSyslogQuery): Promise<ResourceList<PlainSyslog>> =>
  listed(plainSyslogs, caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, host: query.host, transport: query.transport },
    presentAll: (page) => shownSyslogs(caller.domain.id, page),
  })

/** @throws Refusal NOT_FOUND */
export const getSyslog = async (context: Context, id: string): Promise<Stored<PlainSyslog>> =>
  shownOne(shownSyslogs, context.caller.domain.id, await findSyslog(context, id))

/** Sends records made from now on. @throws Refusal RULE_BROKEN */
export async function createSyslog(context: Context, body: CreatePlainSyslog): Promise<Stored<PlainSyslog>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  assertHost(body.host)
  const id = uuid(now)
  const item = {
    ...commonFields(domain, id, resourceUri(domain, 'configs', 'syslogs', id), now),
    ...body,
  }
  changes.create(plainSyslogs, domain, item)
  context.about({ uri: item.uri, name: item.host, after: differences({}, item, AUDITED).after })
  return shownOne(shownSyslogs, domain, { item, rev: 1 })
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN */
export async function updateSyslog(
  context: Context,
  id: string,
  body: UpdatePlainSyslog,
): Promise<Stored<PlainSyslog>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findSyslog(context, id)
  assertIfMatch(context, stored)
  const { item: before, rev } = stored
  const item = { ...patched<StoredPlainSyslog>(before, body), updatedAt: now.toISOString() }
  assertRules(SYSLOG_RULES, { ...item })
  assertHost(item.host)
  changes.update(plainSyslogs, domain, stored, item)
  context.about({ uri: item.uri, name: item.host, ...differences(before, item, AUDITED) })
  return shownOne(shownSyslogs, domain, { item, rev: rev + 1 })
}

/** @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteSyslog(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const stored = await findSyslog(context, id)
  assertIfMatch(context, stored)
  await forgetCursors(changes, caller.domain.id, id)
  changes.remove(plainSyslogs, caller.domain.id, stored)
  context.about({ uri: stored.item.uri, name: stored.item.host })
}
