import type * as Sdk from '@aws-sdk/client-s3'
import { environment } from '../base/environment.ts'

const CONNECT_TIMEOUT_MS = 1_000
const CALL_TIMEOUT_MS = 30_000
/** S3 accepts no part below 5 MiB except the last. One part is in memory at a time. */
const PART_BYTES = 5 * 1024 * 1024

let client: Sdk.S3Client | undefined

/** Loaded on first use, since few calls need it. */
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
  if (name === undefined) throw new Error('This function was not told where objects are kept')
  return name
}

/**
 * Splits a text into parts of `PART_BYTES`, at least one. All parts share one buffer: the next is requested after the
 * previous one was sent.
 */
async function* partsOf(text: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  const part = Buffer.allocUnsafe(PART_BYTES)
  let bytes = 0
  for await (const some of text) {
    let rest = Buffer.from(some)
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
 * Stores a text of any length under a key. An existing object is replaced when the whole text has arrived. Safe to
 * repeat after a stop: the bucket's lifecycle rule removes unfinished uploads.
 * @param text in chunks of at most a few MB
 */
export async function putObject(key: string, contentType: string, text: AsyncIterable<string>): Promise<void> {
  const { s3: store, sdk } = await s3()
  const at = { Bucket: bucket(), Key: key }
  const { UploadId } = await store.send(new sdk.CreateMultipartUploadCommand({ ...at, ContentType: contentType }))
  const Parts: Sdk.CompletedPart[] = []
  for await (const Body of partsOf(text)) {
    const PartNumber = Parts.length + 1
    const { ETag, ChecksumCRC32 } = await store.send(new sdk.UploadPartCommand({ ...at, UploadId, PartNumber, Body }))
    Parts.push({ PartNumber, ETag, ChecksumCRC32 })
  }
  await store.send(new sdk.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }))
}

/** `s3://bucket/key` of an object of ours. */
export const objectAddress = (key: string): string => `s3://${bucket()}/${key}`

/** The text of an object. @param address `s3://bucket/key` */
export async function objectText(address: string): Promise<string> {
  const { hostname: Bucket, pathname } = new URL(address)
  const { s3: store, sdk } = await s3()
  const { Body } = await store.send(new sdk.GetObjectCommand({ Bucket, Key: pathname.slice(1) }))
  return (await Body?.transformToString()) ?? ''
}

/**
 * Asks for an object that need not exist: a refusal is an answer as well. Without the right to list, an object that is not
 * there is refused, not missing.
 * @throws when there is no answer, or one of a fault
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
 * A signed URL that lets its holder fetch the object for `seconds`. Made without a call.
 * @param options.fileName name under which a browser saves it
 * @param options.now start of its validity, as the request sees it
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
