BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'nightlamp','m001_journal','2026-11-30 17:18:20.605243+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'nightlamp','m002_gaps','2026-11-30 17:18:20.610826+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'nightlamp','m003_writings','2026-11-30 17:18:20.610826+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'nightlamp','m004_parts','2026-11-30 20:09:17.851304+00:00');
CREATE TABLE "choices" (
   "id" INTEGER PRIMARY KEY,
   "exchange_id" TEXT NOT NULL REFERENCES "exchanges"("id"),
   "platform" TEXT NOT NULL,
   "user_id" TEXT NOT NULL,
   "position" INTEGER NOT NULL,
   "section_id" TEXT NOT NULL,
   "at" TEXT NOT NULL
) STRICT;
INSERT INTO "choices" VALUES(1,'mine','slack','UZOE7',1,'s3','2026-01-05T12:00:00.000000+00:00');
INSERT INTO "choices" VALUES(2,'theirs','slack','UZOE7',1,'s3','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "digests" (
   "tenant" TEXT,
   "schedule" TEXT,
   "period" TEXT,
   "claimed_at" TEXT NOT NULL,
   "outcome" TEXT NOT NULL,
   "done_at" TEXT,
   PRIMARY KEY ("tenant", "schedule", "period")
) STRICT;
INSERT INTO "digests" VALUES('acme','weekly','2026-01-05','2026-01-05T12:00:00.000000+00:00','',NULL);
CREATE TABLE "escalations" (
   "exchange_id" TEXT PRIMARY KEY REFERENCES "exchanges"("id"),
   "platform" TEXT NOT NULL,
   "user_id" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "resolved_platform" TEXT,
   "resolved_user_id" TEXT,
   "resolved_at" TEXT,
   "note" TEXT NOT NULL
) STRICT;
INSERT INTO "escalations" VALUES('mine','slack','UZOE7','2026-01-05T12:00:00.000000+00:00','slack','UYAN8','2026-01-05T12:00:00.000000+00:00','by another');
INSERT INTO "escalations" VALUES('theirs','slack','UYAN8','2026-01-05T12:00:00.000000+00:00','slack','UZOE7','2026-01-05T12:00:00.000000+00:00','with periwinkle');
CREATE TABLE "events" (
   "platform" TEXT,
   "event_id" TEXT,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("platform", "event_id")
) STRICT;
INSERT INTO "events" VALUES('slack','Ev1','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "exchanges" (
   "id" TEXT PRIMARY KEY NOT NULL,
   "tenant" TEXT NOT NULL,
   "platform" TEXT NOT NULL,
   "channel_id" TEXT NOT NULL,
   "thread_id" TEXT NOT NULL,
   "private" INTEGER NOT NULL,
   "user_id" TEXT NOT NULL,
   "event_id" TEXT,
   "question" TEXT NOT NULL,
   "scope" TEXT NOT NULL,
   "follows" TEXT,
   "asked_at" TEXT NOT NULL,
   "outcome" TEXT,
   "confidence" REAL,
   "distance" REAL,
   "dense" INTEGER,
   "ms" REAL,
   "model" TEXT,
   "vector" BLOB,
   "results" TEXT,
   "answered_at" TEXT,
   "deleted_at" TEXT
) STRICT;
INSERT INTO "exchanges" VALUES('mine','acme','slack','CROOM','1700000000.000100',0,'UZOE7','event mine UZOE7','where is the heliotrope?','{"service": [], "type": [], "visibility": ["everyone"]}',NULL,'2026-01-05T12:00:00.000000+00:00','weak',0.5,0.25,1,12.5,'scripted',X'0000003F000080BE00000000','[{"section_ids": ["s1", "s2"], "document_id": "d1", "source": "own", "path": "a.md", "breadcrumb": "A › B", "distance": 0.25, "keyword_score": 0.75, "passage": [3, 9], "visibility": ["sre"]}, {"section_ids": ["s3"], "document_id": "d2", "source": "own", "path": "ü.md", "breadcrumb": "Ü", "distance": null, "keyword_score": 0.5, "passage": [0, 2], "visibility": ["everyone", "sre"]}]','2026-01-05T12:00:00.000000+00:00',NULL);
INSERT INTO "exchanges" VALUES('alone','acme','slack','DUZOE7','',1,'UZOE7','event alone UZOE7','heliotrope in private','{"service": [], "type": [], "visibility": ["everyone"]}',NULL,'2026-01-05T12:00:00.000000+00:00','weak',0.5,0.25,1,12.5,'scripted',X'0000003F000080BE00000000','[{"section_ids": ["s1", "s2"], "document_id": "d1", "source": "own", "path": "a.md", "breadcrumb": "A › B", "distance": 0.25, "keyword_score": 0.75, "passage": [3, 9], "visibility": ["sre"]}, {"section_ids": ["s3"], "document_id": "d2", "source": "own", "path": "ü.md", "breadcrumb": "Ü", "distance": null, "keyword_score": 0.5, "passage": [0, 2], "visibility": ["everyone", "sre"]}]','2026-01-05T12:00:00.000000+00:00',NULL);
INSERT INTO "exchanges" VALUES('theirs','acme','slack','CROOM','other',0,'UYAN8','event theirs UYAN8','yours?','{"service": [], "type": [], "visibility": ["everyone"]}',NULL,'2026-01-05T12:00:00.000000+00:00','weak',0.5,0.25,1,12.5,'scripted',X'0000003F000080BE00000000','[{"section_ids": ["s1", "s2"], "document_id": "d1", "source": "own", "path": "a.md", "breadcrumb": "A › B", "distance": 0.25, "keyword_score": 0.75, "passage": [3, 9], "visibility": ["sre"]}, {"section_ids": ["s3"], "document_id": "d2", "source": "own", "path": "ü.md", "breadcrumb": "Ü", "distance": null, "keyword_score": 0.5, "passage": [0, 2], "visibility": ["everyone", "sre"]}]','2026-01-05T12:00:00.000000+00:00',NULL);
CREATE TABLE "gap_decisions" (
   "id" INTEGER PRIMARY KEY,
   "gap_id" TEXT NOT NULL REFERENCES "gaps"("id"),
   "platform" TEXT,
   "user_id" TEXT,
   "status" TEXT NOT NULL,
   "section" TEXT,
   "build" TEXT NOT NULL,
   "snoozed_until" TEXT,
   "at" TEXT NOT NULL
) STRICT;
INSERT INTO "gap_decisions" VALUES(1,'G-7KQ2','slack','UZOE7','owned',NULL,'',NULL,'2026-01-05T12:00:00.000000+00:00');
INSERT INTO "gap_decisions" VALUES(2,'G-2222','slack','UYAN8','owned',NULL,'',NULL,'2026-01-05T12:00:00.000000+00:00');
INSERT INTO "gap_decisions" VALUES(3,'G-2222','slack','UZOE7','snoozed',NULL,'','2026-01-05T13:00:00.000000+00:00','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "gap_exchanges" (
   "exchange_id" TEXT PRIMARY KEY REFERENCES "exchanges"("id"),
   "gap_id" TEXT NOT NULL REFERENCES "gaps"("id")
) STRICT;
INSERT INTO "gap_exchanges" VALUES('mine','G-7KQ2');
INSERT INTO "gap_exchanges" VALUES('theirs','G-2222');
CREATE TABLE "gaps" (
   "id" TEXT PRIMARY KEY NOT NULL,
   "tenant" TEXT NOT NULL,
   "created_at" TEXT NOT NULL,
   "status" TEXT NOT NULL,
   "section" TEXT,
   "build" TEXT NOT NULL,
   "owner_platform" TEXT,
   "owner_user_id" TEXT,
   "snoozed_until" TEXT,
   "changed_at" TEXT,
   "changed_platform" TEXT,
   "changed_user_id" TEXT
) STRICT;
INSERT INTO "gaps" VALUES('G-7KQ2','acme','2026-01-05T12:00:00.000000+00:00','owned',NULL,'','slack','UZOE7',NULL,'2026-01-05T12:00:00.000000+00:00','slack','UZOE7');
INSERT INTO "gaps" VALUES('G-2222','acme','2026-01-05T12:00:00.000000+00:00','snoozed',NULL,'','slack','UYAN8','2026-01-05T13:00:00.000000+00:00','2026-01-05T12:00:00.000000+00:00','slack','UZOE7');
CREATE TABLE "logged_gaps" (
   "exchange_id" TEXT REFERENCES "exchanges"("id"),
   "platform" TEXT,
   "user_id" TEXT,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("exchange_id", "platform", "user_id")
) STRICT;
INSERT INTO "logged_gaps" VALUES('mine','slack','UZOE7','2026-01-05T12:00:00.000000+00:00');
INSERT INTO "logged_gaps" VALUES('theirs','slack','UZOE7','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "messages" (
   "platform" TEXT,
   "channel_id" TEXT,
   "message_id" TEXT,
   "exchange_id" TEXT NOT NULL REFERENCES "exchanges"("id"),
   "part" INTEGER NOT NULL,
   "deleted_at" TEXT, more integer not null default 0,
   PRIMARY KEY ("platform", "channel_id", "message_id")
) STRICT;
INSERT INTO "messages" VALUES('slack','CROOM','answer mine','mine',0,NULL,0);
INSERT INTO "messages" VALUES('slack','DUZOE7','answer alone','alone',0,NULL,0);
INSERT INTO "messages" VALUES('slack','CROOM','answer theirs','theirs',0,NULL,0);
CREATE TABLE "mutes" (
   "platform" TEXT,
   "channel_id" TEXT,
   "thread_id" TEXT,
   "muted" INTEGER NOT NULL,
   "user_platform" TEXT NOT NULL,
   "user_id" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("platform", "channel_id", "thread_id")
) STRICT;
INSERT INTO "mutes" VALUES('slack','CROOM','',1,'slack','UZOE7','2026-01-05T12:00:00.000000+00:00');
INSERT INTO "mutes" VALUES('slack','DUZOE7','',1,'slack','UZOE7','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "notice_optouts" (
   "platform" TEXT,
   "user_id" TEXT,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("platform", "user_id")
) STRICT;
INSERT INTO "notice_optouts" VALUES('slack','UZOE7','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "notices" (
   "gap_id" TEXT REFERENCES "gaps"("id"),
   "platform" TEXT,
   "user_id" TEXT,
   "build" TEXT,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("gap_id", "platform", "user_id", "build")
) STRICT;
INSERT INTO "notices" VALUES('G-7KQ2','slack','UZOE7','build-1','2026-01-05T12:00:00.000000+00:00');
INSERT INTO "notices" VALUES('G-7KQ2','slack','UYAN8','build-1','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "reasons" (
   "exchange_id" TEXT REFERENCES "exchanges"("id"),
   "platform" TEXT,
   "user_id" TEXT,
   "kind" TEXT NOT NULL,
   "text" TEXT NOT NULL,
   "right_section" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("exchange_id", "platform", "user_id")
) STRICT;
INSERT INTO "reasons" VALUES('mine','slack','UZOE7','other','the marmalade','oubliette','2026-01-05T12:00:00.000000+00:00');
INSERT INTO "reasons" VALUES('theirs','slack','UZOE7','other','the marmalade','oubliette','2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "threads" (
   "platform" TEXT,
   "channel_id" TEXT,
   "thread_id" TEXT,
   "private" INTEGER NOT NULL,
   "opened_by" TEXT NOT NULL,
   "exchange_id" TEXT NOT NULL REFERENCES "exchanges"("id"),
   "participants" TEXT NOT NULL,
   PRIMARY KEY ("platform", "channel_id", "thread_id")
) STRICT;
INSERT INTO "threads" VALUES('slack','CROOM','1700000000.000100',0,'UZOE7','mine','["UZOE7"]');
INSERT INTO "threads" VALUES('slack','CROOM','shared',0,'UZOE7','mine','["UYAN8", "UZOE7"]');
INSERT INTO "threads" VALUES('slack','CROOM','joined',0,'UYAN8','theirs','["UYAN8", "UZOE7"]');
CREATE TABLE "thumbs" (
   "id" INTEGER PRIMARY KEY,
   "exchange_id" TEXT NOT NULL REFERENCES "exchanges"("id"),
   "platform" TEXT NOT NULL,
   "user_id" TEXT NOT NULL,
   "channel_id" TEXT NOT NULL,
   "message_id" TEXT NOT NULL,
   "vote" TEXT NOT NULL,
   "added" INTEGER NOT NULL,
   "at" TEXT NOT NULL
) STRICT;
INSERT INTO "thumbs" VALUES(1,'mine','slack','UZOE7','CROOM','answer mine','up',1,'2026-01-05T12:00:00.000000+00:00');
INSERT INTO "thumbs" VALUES(2,'mine','slack','UYAN8','CROOM','answer mine','down',1,'2026-01-05T12:00:00.000000+00:00');
INSERT INTO "thumbs" VALUES(3,'theirs','slack','UZOE7','CROOM','answer theirs','up',1,'2026-01-05T12:00:00.000000+00:00');
INSERT INTO "thumbs" VALUES(4,'theirs','slack','UYAN8','CROOM','answer theirs','down',1,'2026-01-05T12:00:00.000000+00:00');
CREATE TABLE "writings" (
   "exchange_id" TEXT PRIMARY KEY REFERENCES "exchanges"("id"),
   "at" TEXT NOT NULL,
   "outcome" TEXT NOT NULL,
   "prompt" TEXT NOT NULL,
   "model" TEXT NOT NULL,
   "reason" TEXT NOT NULL,
   "tokens_in" INTEGER NOT NULL,
   "tokens_out" INTEGER NOT NULL,
   "ms" REAL NOT NULL,
   "kept" INTEGER NOT NULL,
   "dropped" INTEGER NOT NULL
) STRICT;
INSERT INTO "writings" VALUES('alone','2026-11-30T12:00:00.000000+00:00','shown','answer.v1','small','',700,60,812.5,3,1);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE UNIQUE INDEX "idx_exchanges_platform_event_id"
    ON "exchanges" ("platform", "event_id");
CREATE INDEX "idx_exchanges_asked_at"
    ON "exchanges" ("asked_at");
CREATE INDEX "idx_exchanges_tenant_asked_at"
    ON "exchanges" ("tenant", "asked_at");
CREATE INDEX "idx_exchanges_platform_user_id_asked_at"
    ON "exchanges" ("platform", "user_id", "asked_at");
CREATE INDEX "idx_messages_exchange_id"
    ON "messages" ("exchange_id");
CREATE UNIQUE INDEX "idx_thumbs_platform_channel_id_message_id_user_id_vote_added_at"
    ON "thumbs" ("platform", "channel_id", "message_id", "user_id", "vote", "added", "at");
CREATE INDEX "idx_thumbs_exchange_id"
    ON "thumbs" ("exchange_id");
CREATE INDEX "idx_thumbs_platform_user_id"
    ON "thumbs" ("platform", "user_id");
CREATE UNIQUE INDEX "idx_choices_exchange_id_platform_user_id_position_section_id_at"
    ON "choices" ("exchange_id", "platform", "user_id", "position", "section_id", "at");
CREATE INDEX "idx_threads_exchange_id"
    ON "threads" ("exchange_id");
CREATE INDEX "idx_events_at"
    ON "events" ("at");
CREATE INDEX "idx_gaps_tenant_created_at"
    ON "gaps" ("tenant", "created_at");
CREATE INDEX "idx_gap_exchanges_gap_id"
    ON "gap_exchanges" ("gap_id");
CREATE INDEX "idx_gap_decisions_gap_id"
    ON "gap_decisions" ("gap_id");
CREATE INDEX "idx_notices_platform_user_id"
    ON "notices" ("platform", "user_id");
CREATE INDEX idx_exchanges_named on exchanges (asked_at) where user_id not glob 'forgotten-*';
CREATE INDEX "idx_writings_at"
    ON "writings" ("at");
COMMIT;
