/** Generated from the API description by `npm run describe`. */

export const updateCloudDVaultPermissions = {"acls":{"kind":"lines","isRequired":true},"acls/0/actions":{"words":["view","keycreate","keyupload","keyupdate","keydelete","keycanceldelete","keyrestore","deletebackup","keyrotatetonative","keyrotatetobyok","keysynchronize","keyremove","viewhyokkey","hyokkeycreate","hyokkeyupdate","hyokkeyblockunblock","hyokkeydelete","hyokkeyrotate","reportview","reportcreate","reportdelete","reportdownload"]}} as const
