import { SEEDED_AT } from '../directory/directory.ts'
import type { HeldObject } from '../state/held.ts'
import { iso } from '../vaults/describe.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { ApiError, notFound } from '../wire/errors.ts'
import { listed, requiredQuery } from '../wire/pages.ts'
import { bucketNamed, objectName, type FoundBucket } from './buckets.ts'

const route =
  (method: Route['method']) =>
  (operation: string, path: string, run: Route['run']): Route => ({
    ...{ service: 'storage', method, isRetrySafe: false, operation, path, run },
  })
const [read, head, remove] = [route('GET'), route('HEAD'), route('DELETE')]

/** @throws ApiError NotAuthorizedOrNotFound unless the namespace of the path is that of the caller's tenancy */
function requireNamespace({ caller, param }: Call): string {
  if (param('namespace') === caller.tenancy.namespace) return caller.tenancy.namespace
  throw notFound()
}

/** @throws ApiError BucketNotFound */
function bucketInPath(call: Call): FoundBucket {
  const bucket = bucketNamed(call, call.param('namespace'), call.param('bucket'))
  if (bucket !== undefined) return bucket
  throw new ApiError('BucketNotFound', 'Either the bucket does not exist or you are not authorized to access it.')
}

/** @throws ApiError BucketNotFound, ObjectNotFound */
function objectInPath(call: Call): HeldObject {
  const object = call.state.object(objectName(bucketInPath(call), call.param('object')))
  if (object !== undefined) return object
  throw new ApiError('ObjectNotFound', 'The object was not found.')
}

const describeBucket = ({ namespace, name, compartmentId }: FoundBucket): object => ({
  ...{ namespace, name, compartmentId },
  createdBy: 'simulated',
  timeCreated: iso(SEEDED_AT),
  etag: name,
})

function listBuckets(call: Call): Reply {
  const namespace = requireNamespace(call)
  const compartmentId = requiredQuery(call, 'compartmentId')
  call.require('inspect', compartmentId)
  const buckets = call.caller.tenancy.buckets.filter(
    (each) => each.compartmentId === compartmentId && each.region === call.region,
  )
  const items = buckets.map((bucket) => ({ item: { ...bucket, namespace }, by: bucket.name }))
  return listed(call, items, describeBucket)
}

function listObjects(call: Call): Reply {
  const start = objectName(bucketInPath(call), call.query.get('prefix') ?? '')
  const names = call.state
    .objects()
    .map(({ name }) => name)
    .filter((name) => name.startsWith(start))
  return { body: { objects: names.sort().map((name) => ({ name: name.split('/').slice(3).join('/') })) } }
}

function deleteObject(call: Call): Reply {
  const { name } = objectInPath(call)
  call.require('manage', bucketInPath(call).compartmentId)
  call.state.forgetObject(name)
  return { status: 204 }
}

const BUCKET = '/n/{namespace}/b/{bucket}'
const OBJECT = `${BUCKET}/o/{object}`
const namespace = ({ caller }: Call): Reply => ({ body: caller.tenancy.namespace })

/** Buckets and their objects. Here only the cloud writes objects: backups of keys. */
export const storageRoutes: readonly Route[] = [
  read('GetNamespace', '/n', namespace),
  read('GetNamespace', '/n/', namespace),
  read('ListBuckets', '/n/{namespace}/b', listBuckets),
  read('GetBucket', BUCKET, (call) => ({ body: describeBucket(bucketInPath(call)) })),
  head('HeadBucket', BUCKET, (call) => ({ headers: { etag: bucketInPath(call).name } })),
  read('ListObjects', `${BUCKET}/o`, listObjects),
  read('GetObject', OBJECT, (call) => ({ body: objectInPath(call).content })),
  head('HeadObject', OBJECT, (call) => ({ headers: { 'last-modified': iso(objectInPath(call).createdAt) } })),
  remove('DeleteObject', OBJECT, deleteObject),
]
