import { beforeAll, expect, test } from 'vitest'
import { useService } from '../../support/service.ts'
import { startSyslogServer, SYSLOG_SERVERS } from '../../support/syslog-server.ts'

const service = useService()
let token = ''
beforeAll(async () => {
  token = await service().logIn()
})

const call = (method: string, path: string, body?: unknown) =>
  service().call(method, path, { token, ...(body !== undefined && { body }) })

async function forward(): Promise<void> {
  await service().deployment.fire('drain-outbox')
  await service().deployment.fire('forward-logs')
}

test.each(SYSLOG_SERVERS)('%s understands records in all formats that have a header', async (name) => {
  const server = await startSyslogServer(name)
  const targets: string[] = []
  for (const message_format of ['rfc5424', 'cef', 'leef']) {
    const { body } = await call('POST', '/v1/configs/syslogs', {
      ...{ host: '127.0.0.1', port: server.port, transport: 'tcp', message_format },
    })
    targets.push(body.id as string)
  }
  const odd = `${name}-"]\\ä`
  const { body: made } = await call('POST', '/v1/vault/keys2', { name: `${name} key`, description: odd })
  await forward()
  for (const id of targets) {
    expect((await call('GET', `/v1/configs/syslogs/${id}`)).body.last_error).toBeUndefined()
    await call('DELETE', `/v1/configs/syslogs/${id}`)
  }
  const messages = await server.stop()
  const found = await call('GET', `/v1/audit/records?message=Create%20Key&limit=1&sort=-createdAt`)
  const record = found.body.resources[0]
  expect(record.details.resource_uri).toBe(made.uri)
  const ofKey = messages.filter(({ structured }) => structured.includes(`id="${record.id as string}"`))
  expect(ofKey).toHaveLength(3)
  for (const { app, msgid } of ofKey) expect({ app, msgid }).toEqual({ app: 'keymgr', msgid: record.service })
  const [json, cef, leef] = ['{', 'CEF:0|', 'LEEF:2.0|'].map((begin) =>
    ofKey.find(({ text }) => text.replace(/^\u{FEFF}/u, '').startsWith(begin)),
  )
  expect(JSON.parse(json?.text.replace(/^\u{FEFF}/u, '') ?? '')).toEqual(record)
  expect([cef?.text, leef?.text].every((text) => text?.includes('Create Key'))).toBe(true)
})
