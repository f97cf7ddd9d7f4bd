/** Generated from the API description by `npm run describe`. */

export const updateCloudCKeyRingPermissions = {"acls":{"kind":"lines","isRequired":true},"acls/0/actions":{"words":["view","keycreate","keyupload","keyupdate","keydestroy","keycanceldestroy","keysynchronize","reportview","reportcreate","reportdelete","reportdownload"]}} as const
