import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { startObjects, type Objects } from '../../../../infra/local/stand-ins/objects.ts'
import { outcome } from '../../simulators/cloud-a/clients.ts'

const Bucket = 'reports'
const clock = createClock()
const directory = path.join(mkdtempSync(path.join(tmpdir(), 'keymgr-objects-')), 'objects')
let objects: Objects
let s3: S3Client

const clientOf = (credentials: { accessKeyId: string; secretAccessKey: string } = LOCAL_ACCOUNT.credentials) =>
  new S3Client({ endpoint: objects.endpoint, region: LOCAL_ACCOUNT.region, credentials, maxAttempts: 1 })

beforeAll(async () => {
  objects = await startObjects({ buckets: [Bucket], now: clock.now, directory })
  s3 = clientOf()
})
afterAll(async () => {
  await objects.stop()
  rmSync(path.dirname(directory), { recursive: true })
})

async function put(Key: string, ...pieces: readonly Buffer[]): Promise<void> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'text/csv' }))
  const Parts: { PartNumber: number; ETag: string | undefined }[] = []
  for (const [at, Body] of pieces.entries()) {
    const PartNumber = at + 1
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
    Parts.push({ PartNumber, ETag })
  }
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
}

const addressOf = (Key: string, client = s3, expiresIn = 60): Promise<string> =>
  getSignedUrl(
    client,
    new GetObjectCommand({ Bucket, Key, ResponseContentDisposition: 'attachment; filename="a b.csv"' }),
    {
      expiresIn,
      signingDate: clock.now(),
    },
  )

test('an object in parts is read whole, by the official client and by a signed address', async () => {
  const pieces = [Buffer.alloc(5 * 1024 * 1024, 'a'), Buffer.from('é\n')]
  await put('a/b (1).csv', ...pieces)
  const { Body, ContentType } = await s3.send(new GetObjectCommand({ Bucket, Key: 'a/b (1).csv' }))
  expect(Buffer.concat(pieces).equals(Buffer.from((await Body?.transformToByteArray()) ?? []))).toBe(true)
  expect(ContentType).toBe('text/csv')
  const answer = await fetch(await addressOf('a/b (1).csv'))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a b.csv"')
  expect((await answer.arrayBuffer()).byteLength).toBe(5 * 1024 * 1024 + 3)
})

test('an object exists after a restart, and not after its deletion', async () => {
  await put('kept', Buffer.from('once'))
  await objects.stop()
  objects = await startObjects({ buckets: [Bucket], now: clock.now, directory })
  s3 = clientOf()
  expect(await (await fetch(await addressOf('kept'))).text()).toBe('once')
  for (let again = 0; again < 2; again++) await s3.send(new DeleteObjectCommand({ Bucket, Key: 'kept' }))
  expect((await fetch(await addressOf('kept'))).status).toBe(404)
  expect(await outcome(s3.send(new GetObjectCommand({ Bucket, Key: 'kept' })))).toBe('NoSuchKey')
})

const changed = (address: string, name: string, value: string): string => {
  const url = new URL(address)
  url.searchParams.set(name, value)
  return url.href
}

test.each<[string, (address: string) => string, string]>([
  ['another object', (address) => address.replace('/secret', '/other'), 'SignatureDoesNotMatch'],
  ['a longer time', (address) => changed(address, 'X-Amz-Expires', '600'), 'SignatureDoesNotMatch'],
  [
    'another name to save it under',
    (address) => changed(address, 'response-content-disposition', 'inline'),
    'SignatureDoesNotMatch',
  ],
  ['another signature', (address) => changed(address, 'X-Amz-Signature', 'a'.repeat(64)), 'SignatureDoesNotMatch'],
  ['no signature', (address) => address.split('?', 1)[0] ?? '', 'AccessDenied'],
  ['half a signed query', (address) => changed(address, 'X-Amz-Date', ''), 'AuthorizationQueryParametersError'],
])('an address with %s is refused', async (_what, change, code) => {
  await put('secret', Buffer.from('x'))
  const answer = await fetch(change(await addressOf('secret')))
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(`<Code>${code}</Code>`)])
})

test('an address of another signer is refused, and so is one with a signature header', async () => {
  await put('secret', Buffer.from('x'))
  const foreign = clientOf({ ...LOCAL_ACCOUNT.credentials, secretAccessKey: 'guessed' })
  expect((await fetch(await addressOf('secret', foreign))).status).toBe(403)
  const remove = new DeleteObjectCommand({ Bucket, Key: 'secret' })
  await expect(foreign.send(remove)).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' })
  const twice = await fetch(await addressOf('secret'), { headers: { authorization: 'Bearer x' } })
  expect([twice.status, await twice.text()]).toEqual([400, expect.stringContaining('Only one auth mechanism allowed')])
})

test('an address is valid until its time is over, by the clock of the deployment', async () => {
  await put('brief', Buffer.from('x'))
  const address = await addressOf('brief', s3, 60)
  clock.advance(58_000)
  expect((await fetch(address)).status).toBe(200)
  clock.advance(4_000)
  const answer = await fetch(address)
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Request has expired')])
})

test('the store refuses unsupported requests', async () => {
  expect(await outcome(put('small', Buffer.from('a'), Buffer.from('b')))).toBe('EntityTooSmall')
  expect(await outcome(put('empty'))).toBe('MalformedXML')
  const lost = { Bucket, Key: 'x', UploadId: 'none', PartNumber: 1, Body: Buffer.from('x') }
  expect(await outcome(s3.send(new UploadPartCommand(lost)))).toBe('NoSuchUpload')
  const elsewhere = new CreateMultipartUploadCommand({ Bucket: 'elsewhere', Key: 'x' })
  expect(await outcome(s3.send(elsewhere))).toBe('NoSuchBucket')
})
