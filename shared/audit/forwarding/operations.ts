import { Deleted, listOf } from '../../http/common-fields.ts'
import { createdStored, deleted, ok, okStored, operation, route, type Route } from '../../http/operation.ts'
import {
  createForwarder,
  deleteForwarder,
  getForwarder,
  listForwarders,
  updateForwarder,
} from './forwarders/forwarders.ts'
import {
  CreateLogForwarder,
  CreatePlainSyslog,
  ForwarderPath,
  LogForwarder,
  LogForwarderQuery,
  PlainSyslog,
  PlainSyslogPath,
  PlainSyslogQuery,
  Redirection,
  UpdateLogForwarder,
  UpdatePlainSyslog,
} from './forwarders/model.ts'
import { redirectionStatus, setRedirection } from './forwarders/redirection.ts'
import { createSyslog, deleteSyslog, getSyslog, listSyslogs, updateSyslog } from './forwarders/syslogs.ts'

/** GET /v1/configs/log-forwarders */
export const list = operation(
  { summary: 'List Log Forwarders', query: LogForwarderQuery, answers: listOf(LogForwarder), may: 'admins' },
  async ({ query, context }) => ok(await listForwarders(context, query)),
)

/** POST /v1/configs/log-forwarders: sends records made from now on. */
export const create = operation(
  { summary: 'Create Log Forwarder', body: CreateLogForwarder, answers: LogForwarder, status: 201, may: 'admins' },
  async ({ body, context }) => createdStored(await createForwarder(context, body)),
)

/** GET /v1/configs/log-forwarders/{id} */
export const get = operation(
  { summary: 'Get Log Forwarder', path: ForwarderPath, answers: LogForwarder, may: 'admins' },
  async ({ path, context }) => okStored(await getForwarder(context, path.id)),
)

/** PATCH /v1/configs/log-forwarders/{id} */
export const update = operation(
  {
    summary: 'Update Log Forwarder',
    path: ForwarderPath,
    body: UpdateLogForwarder,
    answers: LogForwarder,
    may: 'admins',
  },
  async ({ path, body, context }) => okStored(await updateForwarder(context, path.id, body)),
)

/** DELETE /v1/configs/log-forwarders/{id} */
export const remove = operation(
  { summary: 'Delete Log Forwarder', path: ForwarderPath, answers: Deleted, may: 'admins' },
  async ({ path, context }) => {
    await deleteForwarder(context, path.id)
    return deleted()
  },
)

/** GET /v1/configs/syslogs */
export const listServers = operation(
  { summary: 'List Syslog Servers', query: PlainSyslogQuery, answers: listOf(PlainSyslog), may: 'admins' },
  async ({ query, context }) => ok(await listSyslogs(context, query)),
)

/** POST /v1/configs/syslogs: sends records made from now on. */
export const createServer = operation(
  { summary: 'Create Syslog Server', body: CreatePlainSyslog, answers: PlainSyslog, status: 201, may: 'admins' },
  async ({ body, context }) => createdStored(await createSyslog(context, body)),
)

/** GET /v1/configs/syslogs/{id} */
export const getServer = operation(
  { summary: 'Get Syslog Server', path: PlainSyslogPath, answers: PlainSyslog, may: 'admins' },
  async ({ path, context }) => okStored(await getSyslog(context, path.id)),
)

/** PATCH /v1/configs/syslogs/{id} */
export const updateServer = operation(
  {
    summary: 'Update Syslog Server',
    path: PlainSyslogPath,
    body: UpdatePlainSyslog,
    answers: PlainSyslog,
    may: 'admins',
  },
  async ({ path, body, context }) => okStored(await updateSyslog(context, path.id, body)),
)

/** DELETE /v1/configs/syslogs/{id} */
export const removeServer = operation(
  { summary: 'Delete Syslog Server', path: PlainSyslogPath, answers: Deleted, may: 'admins' },
  async ({ path, context }) => {
    await deleteSyslog(context, path.id)
    return deleted()
  },
)

/** POST /v1/configs/log-forwarders-domain-redirection/enable */
export const enableRedirection = operation(
  { summary: 'Enable Log Redirection', answers: Redirection, may: 'admins' },
  async ({ context }) => ok(await setRedirection(context, true)),
)

/** POST /v1/configs/log-forwarders-domain-redirection/disable */
export const disableRedirection = operation(
  { summary: 'Disable Log Redirection', answers: Redirection, may: 'admins' },
  async ({ context }) => ok(await setRedirection(context, false)),
)

/** GET /v1/configs/log-forwarders-domain-redirection/status */
export const getRedirection = operation(
  { summary: 'Get Log Redirection', answers: Redirection, may: 'admins' },
  async () => ok(await redirectionStatus()),
)

const FORWARDERS = '/v1/configs/log-forwarders'
const SYSLOGS = '/v1/configs/syslogs'
const REDIRECTION = '/v1/configs/log-forwarders-domain-redirection'

/** Where the records of a domain are sent. */
export const forwardingRoutes: readonly Route[] = [
  route('GET', FORWARDERS, list),
  route('POST', FORWARDERS, create),
  route('GET', `${FORWARDERS}/{id}`, get),
  route('PATCH', `${FORWARDERS}/{id}`, update),
  route('DELETE', `${FORWARDERS}/{id}`, remove),
  route('GET', SYSLOGS, listServers),
  route('POST', SYSLOGS, createServer),
  route('GET', `${SYSLOGS}/{id}`, getServer),
  route('PATCH', `${SYSLOGS}/{id}`, updateServer),
  route('DELETE', `${SYSLOGS}/{id}`, removeServer),
  route('POST', `${REDIRECTION}/enable`, enableRedirection),
  route('POST', `${REDIRECTION}/disable`, disableRedirection),
  route('GET', `${REDIRECTION}/status`, getRedirection),
]
