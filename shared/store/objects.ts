import type * as Sdk from '@aws-sdk/client-s3'
import { environment } from '../base/environment.ts'

const CONNECT_TIMEOUT_MS = 1_000
const CALL_TIMEOUT_MS = 30_000
/** S3 requires parts of at least 5 MiB, except the last. One part is in memory at a time. */
export const PART_BYTES = 5 * 1024 * 1024

let client: Sdk.S3Client | undefined

/** Imported at the first use, since few calls need it. */
async function s3(): Promise<{ s3: Sdk.S3Client; sdk: typeof Sdk }> {
  const sdk = await import('@aws-sdk/client-s3')
  client ??= new sdk.S3Client({
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: CALL_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  })
  return { s3: client, sdk }
}

function bucket(): string {
  const name = environment().KEYMGR_BUCKET
  if (name === undefined) throw new Error('The bucket is not configured for this function')
  return name
}

/**
 * Splits a text into parts of `PART_BYTES`, at least one. All parts share one buffer: the next is requested after the
 * previous one was sent.
 */
async function* partsOf(text: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer, void> {
  const part = Buffer.allocUnsafe(PART_BYTES)
  let bytes = 0
  for await (const some of text) {
    let rest = typeof some === 'string' ? Buffer.from(some) : some
    while (bytes + rest.length >= PART_BYTES) {
      const taken = rest.copy(part, bytes)
      yield part
      rest = rest.subarray(taken)
      bytes = 0
    }
    bytes += rest.copy(part, bytes)
  }
  yield part.subarray(0, bytes)
}

/**
 * Stores a text or bytes of any length under a key. An existing object is replaced when all of it has arrived. Safe to
 * repeat after a stop: the bucket's lifecycle rule removes unfinished uploads.
 * @param text in chunks of at most a few MB
 */
export async function putObject(key: string, contentType: string, text: AsyncIterable<string | Buffer>): Promise<void> {
  const upload = await beginUpload(key, contentType)
  const parts: UploadedPart[] = []
  for await (const body of partsOf(text)) parts.push(await uploadPart(key, upload, parts.length + 1, body))
  await completeUpload(key, upload, parts)
}

/** A part of an upload, as required for its completion. */
export interface UploadedPart {
  readonly etag: string
  readonly crc: string
}

/** The upload or one of its parts no longer exists: another one replaced it, or it took longer than a day. */
export class UploadLost extends Error {
  override readonly name = 'UploadLost'
}

/** Begins an upload of an object in parts, for work that continues in other invocations. @returns its id */
export async function beginUpload(key: string, contentType: string): Promise<string> {
  const { s3: store, sdk } = await s3()
  const command = new sdk.CreateMultipartUploadCommand({ Bucket: bucket(), Key: key, ContentType: contentType })
  return (await store.send(command)).UploadId ?? ''
}

const LOST: ReadonlySet<string> = new Set(['NoSuchUpload', 'InvalidPart'])

async function unlessLost<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent
  } catch (error) {
    if (error instanceof Error && LOST.has(error.name)) throw new UploadLost('An upload is lost', { cause: error })
    throw error
  }
}

/**
 * Uploads a part; replaces an earlier one with that number.
 * @param part from 1
 * @param body `PART_BYTES` at least, except the last part
 * @throws UploadLost
 */
export async function uploadPart(key: string, upload: string, part: number, body: Buffer): Promise<UploadedPart> {
  const { s3: store, sdk } = await s3()
  const at = { Bucket: bucket(), Key: key, UploadId: upload, PartNumber: part }
  const { ETag = '', ChecksumCRC32 = '' } = await unlessLost(
    store.send(new sdk.UploadPartCommand({ ...at, Body: body })),
  )
  return { etag: ETag, crc: ChecksumCRC32 }
}

/**
 * Assembles the object from its parts; an existing one is replaced. @throws UploadLost, also when it was completed
 * before
 */
export async function completeUpload(key: string, upload: string, parts: readonly UploadedPart[]): Promise<void> {
  const { s3: store, sdk } = await s3()
  const Parts = parts.map(({ etag, crc }, at) => ({
    PartNumber: at + 1,
    ETag: etag,
    ...(crc !== '' && { ChecksumCRC32: crc }),
  }))
  const at = { Bucket: bucket(), Key: key, UploadId: upload }
  await unlessLost(store.send(new sdk.CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts } })))
}

/** `s3://bucket/key` of an object of keymgr. */
export const objectAddress = (key: string): string => `s3://${bucket()}/${key}`

/** The text of an object. @param address `s3://bucket/key` */
export async function objectText(address: string): Promise<string> {
  const { hostname: Bucket, pathname } = new URL(address)
  const { s3: store, sdk } = await s3()
  const { Body } = await store.send(new sdk.GetObjectCommand({ Bucket, Key: pathname.slice(1) }))
  return (await Body?.transformToString()) ?? ''
}

/**
 * Requests an object that need not exist: a refusal is an answer too. Without the right to list, a missing object is
 * answered with a refusal.
 * @throws without an answer, or for an answer that reports a fault
 */
export async function objectsAnswer(withinMs: number): Promise<void> {
  const { s3: store, sdk } = await s3()
  const asked = new sdk.GetObjectCommand({ Bucket: bucket(), Key: 'reports/none' })
  try {
    await store.send(asked, { abortSignal: AbortSignal.timeout(withinMs) })
  } catch (error) {
    if (error instanceof sdk.S3ServiceException && [403, 404].includes(error.$metadata.httpStatusCode ?? 0)) return
    throw error
  }
}

/** Removes an object. Safe to repeat. */
export async function removeObject(key: string): Promise<void> {
  const { s3: store, sdk } = await s3()
  await store.send(new sdk.DeleteObjectCommand({ Bucket: bucket(), Key: key }))
}

/**
 * A signed URL with which anyone can read the object for `seconds`. Computed without a call.
 * @param options.fileName name under which a browser saves it
 * @param options.now start of its validity: the time of the request
 */
export async function signedAddress(
  key: string,
  { fileName, now, seconds }: { readonly fileName: string; readonly now: Date; readonly seconds: number },
): Promise<string> {
  const { s3: store, sdk } = await s3()
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const command = new sdk.GetObjectCommand({
    Bucket: bucket(),
    Key: key,
    ResponseContentDisposition: `attachment; filename="${fileName}"`,
  })
  return getSignedUrl(store, command, { expiresIn: seconds, signingDate: now })
}
