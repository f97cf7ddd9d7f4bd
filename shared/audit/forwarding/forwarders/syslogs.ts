import { resourceUri } from '../../../base/ids.ts'
import { assertRules } from '../../../http/request/parse.ts'
import { resource } from '../../../resource/resource.ts'
import { USUAL_PORTS } from '../send/send-syslog.ts'
import { assertHost } from './addresses.ts'
import { forgetCursors } from './forget.ts'
import { CreatePlainSyslog, PlainSyslog, PlainSyslogQuery, SYSLOG_RULES, UpdatePlainSyslog } from './model.ts'
import { withProgress } from './progress.ts'
import { plainSyslogs } from './store.ts'

/** Syslog servers without a connection. A new one receives the records from its creation on. */
export const syslogs = resource({
  entity: plainSyslogs,
  noun: 'syslog server',
  title: 'Syslog Server',
  at: '/v1/configs/syslogs',
  reads: 'admins',
  changes: 'admins',
  answers: PlainSyslog,
  query: PlainSyslogQuery,
  createBody: CreatePlainSyslog,
  updateBody: UpdatePlainSyslog,
  uri: (domain, id) => resourceUri(domain, 'configs', 'syslogs', id),
  nameOf: ({ host }) => host,
  audited: ['host', 'port', 'transport', 'ca_cert', 'message_format'],
  presentAll: (servers, { caller }) =>
    withProgress(
      caller.domain.id,
      servers.map((server) => ({ port: USUAL_PORTS[server.transport], ...server })),
    ),
  check: (_context, server) => {
    assertRules(SYSLOG_RULES, { ...server })
    assertHost(server.host)
    return server
  },
  release: ({ caller, changes }, { id }) => forgetCursors(changes, caller.domain.id, id),
})
