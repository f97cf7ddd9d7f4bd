/** These parts share one deployment: each registers its tests when it is imported. */
import './hosted-keys/linking.ts'
import './hosted-keys/refusals.ts'
import './hosted-keys/deletion-and-lists.ts'
import './hosted-keys/races.ts'
