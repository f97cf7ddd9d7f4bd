/** Generated from the API description by `npm run describe`. */

export const updateDatacustGroupPermissions = {"acls":{"kind":"lines","isRequired":true},"acls/0/actions":{"words":["view","keycreate","keyupload","keyupdate","keydelete","keyrotate","keydestroy","keyimport","deletebackup","keysynchronize","reportview","reportcreate","reportdelete","reportdownload"]}} as const
