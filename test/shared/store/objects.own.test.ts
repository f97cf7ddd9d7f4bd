import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../infra/local/stand-ins/account.ts'
import { createClock } from '../../../infra/local/clock.ts'
import { startObjects, type Objects } from '../../../infra/local/stand-ins/objects.ts'
import { putObject, removeObject, signedAddress } from '../../../shared/store/objects.ts'
import { pointProcessAt } from '../../support/own-process.ts'

const BUCKET = 'texts'
const clock = createClock()
const folder = mkdtempSync(path.join(tmpdir(), 'keymgr-objects-'))
let objects: Objects

beforeAll(async () => {
  objects = await startObjects({ buckets: [BUCKET], now: clock.now, directory: path.join(folder, 'objects') })
  const { region, credentials } = LOCAL_ACCOUNT
  pointProcessAt({
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_S3: objects.endpoint,
    KEYMGR_BUCKET: BUCKET,
    KEYMGR_TABLE: 'keymgr-test',
    KEYMGR_ROOT_KEY: 'alias/keymgr-root',
    KEYMGR_BASE_URL: 'http://127.0.0.1:8080',
  })
})
afterAll(async () => {
  await objects.stop()
  rmSync(folder, { recursive: true })
})

const fetched = async (key: string): Promise<Response> =>
  fetch(await signedAddress(key, { fileName: 'text.csv', now: clock.now(), seconds: 60 }))

const MIB = 1_048_576

test.each([
  ['nothing', []],
  ['a word', ['é']],
  ['exactly a part', ['a'.repeat(5 * MIB)]],
  ['pieces across the ends of parts', Array.from({ length: 13 }, (_, at) => `${at}:${'é'.repeat(MIB / 2)}|`)],
  ['one piece of several parts', ['0123456789abcde\n'.repeat(700_000)]],
])('%s is stored unchanged', async (what, pieces) => {
  await putObject(what, 'text/plain; charset=utf-8', ReadableStream.from(pieces))
  const answer = await fetched(what)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect((await answer.text()) === pieces.join('')).toBe(true) // a difference of megabytes is not printed
  await removeObject(what)
  await removeObject(what)
  expect((await fetched(what)).status).toBe(404)
})
