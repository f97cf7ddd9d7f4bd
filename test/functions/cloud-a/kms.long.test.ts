/** These parts share one deployment: each registers its tests when it is imported. */
import './kms/creation.ts'
import './kms/changes.ts'
import './kms/work-under-way.ts'
import './kms/deletion.ts'
import './kms/account.ts'
