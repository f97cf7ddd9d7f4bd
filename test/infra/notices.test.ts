import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { buildClient } from '../../infra/build-clients.ts'
import { buildPages } from '../../infra/build-pages.ts'
import { gunzipSync } from 'node:zlib'

const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-notices-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('licences of the packages within a client go along with it', async () => {
  await buildClient('cli', folder)
  const notices = fs.readFileSync(path.join(folder, 'keymgr-licenses.txt'), 'utf8')
  expect(notices).toMatch(/^yaml \d/m)
  expect(notices).toContain('Permission to use, copy, modify')
})

test('licences of the packages within a page are beside its files', async () => {
  const { files } = await buildPages()
  const textAt = (address: string): string => gunzipSync(Buffer.from(files[address]?.gzip ?? '', 'base64')).toString()
  expect(textAt('/console/files/licenses.txt')).toMatch(/^preact \d[^]*Permission is hereby granted/m)
  expect(textAt('/api/guide/licenses.txt')).toMatch(/^swagger-ui-dist \d[^]*Apache License/m)
})

test('the telemetry of a package is not installed', () => {
  const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
  expect(lock.packages['node_modules/@scarf/scarf']).toEqual({ resolved: 'infra/tools/no-telemetry', link: true })
})
