import type { AclChange, CloudAAction } from '../../../cloud/containers/acl-model.ts'
import type { ViewOf } from '../../../cloud/containers/acl.ts'

/** `view` is an older word for both. */
const BOTH = ['viewnative', 'viewbyok'] as const

/** Which view goes with an action: that of the keys it makes or changes. */
const VIEWS: Readonly<Record<CloudAAction, readonly CloudAAction[]>> = {
  view: BOTH,
  viewnative: [],
  viewbyok: [],
  keycreate: ['viewnative'],
  keyupload: ['viewbyok'],
  keyupdate: BOTH,
  keyrotate: BOTH,
  keydelete: BOTH,
  keycanceldelete: BOTH,
  keymaterialimport: ['viewbyok'],
  keymaterialdelete: ['viewbyok'],
  keysynchronize: BOTH,
  keybulkoperation: BOTH,
  viewhyokkey: [],
  hyokkeycreate: ['viewhyokkey'],
  hyokkeyblockunblock: ['viewhyokkey'],
  hyokkeydelete: ['viewhyokkey'],
  hyokkeylink: ['viewhyokkey'],
  viewcloudhsmkey: [],
  cloudhsmkeycreate: ['viewcloudhsmkey'],
  cloudhsmkeydelete: ['viewcloudhsmkey'],
  viewkeystore: [],
  keystoreadd: ['viewkeystore'],
  keystoreupdate: ['viewkeystore'],
  keystoredelete: ['viewkeystore'],
  keystoreblock: ['viewkeystore'],
  keystoreunblock: ['viewkeystore'],
  keystoreconnect: ['viewkeystore'],
  keystoredisconnect: ['viewkeystore'],
  keystorelink: ['viewkeystore'],
  reportview: [],
  reportcreate: ['reportview'],
  reportdelete: ['reportview'],
  reportdownload: ['reportview'],
}
const VIEWS_BY_NAME = new Map<string, readonly string[]>(Object.entries(VIEWS))

export const viewOf: ViewOf = (action) => VIEWS_BY_NAME.get(action) ?? []

/** A change in today's words: `view` is never kept. */
export const inTodaysWords = <Change extends AclChange>(change: Change): Change => ({
  ...change,
  actions: change.actions.flatMap((action) => (action === 'view' ? BOTH : [action])),
})
