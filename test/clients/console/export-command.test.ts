import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { exportCommand } from '../../../clients/console/pages/audit/export-command.ts'

const [FROM, TO] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z']

/** What the platform answers to each call of the commands. */
const answerTo = ({ method, url }: IncomingMessage, base: string): string => {
  if (url === '/platform/auth/oauth/v1/token') return '{"access_token":"a.b.c","token_type":"Bearer","expires_in":3600}'
  if (method === 'POST') return '{"jobId":"0-1"}'
  if (url === '/archive?tenant=1&signature=s') return 'PK'
  return JSON.stringify({ status: 'completed', records: 2, url: `${base}/archive?tenant=1&signature=s` })
}

test('the commands fetch the records of the time, with the credential in variables alone', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'keymgr-export-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const asked: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(`${request.method} ${request.url} ${body} ${request.headers.authorization ?? ''}`)
      response.end(answerTo(request, base))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { ...process.env, CLIENT_ID: 'siem', CLIENT_SECRET: 'whispered' }
  await promisify(execFile)('bash', ['-c', exportCommand(base, FROM, TO)], { cwd: folder, env })
  expect(asked).toEqual([
    'POST /platform/auth/oauth/v1/token grant_type=client_credentials&client_id=siem&client_secret=whispered ',
    `POST /platform/api/v1/audit-log-exports {"from":"${FROM}","to":"${TO}"} Bearer a.b.c`,
    'GET /platform/api/v1/audit-log-exports/0-1  Bearer a.b.c',
    'GET /archive?tenant=1&signature=s  ',
  ])
  expect(await readFile(path.join(folder, 'audit.zip'), 'utf8')).toBe('PK')
})
